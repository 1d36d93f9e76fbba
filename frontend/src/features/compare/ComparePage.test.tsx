import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { RunComparison } from '@/api/generated';
import { aReport } from '@/features/reports/report.testdata';
import { aPage, aRun, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { aShare } from '@/test/shares';
import { show } from '@/test/show';
import ComparePage from './ComparePage';
import SharedComparisonPage from './SharedComparisonPage';

const { analysis } = aReport();
const [base, other] = analysis.arms.map((arm, index) => ({ ...arm, key: `run-${index + 1}:${arm.key}` }));

function aComparison(changes: Partial<RunComparison> = {}): RunComparison {
  const runs = [1, 2].map((number) => ({
    id: `run-${number}`,
    experiment_id: 'experiment-1',
    experiment_name: 'Socket sharding',
    version: 1,
    number,
    label: `#${number}`,
    state: 'completed' as const,
    started_at: '2026-01-02T03:04:05Z',
    hosts: ['alpha'],
    note: null,
    verdict: 'decided' as const,
    qualification: 'Validity: 20 of 20 checks passed.',
    unusable: null,
  }));
  const arms = [base, other].map((arm, index) => ({
    key: arm?.key ?? '',
    run_id: `run-${index + 1}`,
    arm: 'reuseport',
    label: 'reuseport',
    name: `#${index + 1}, reuseport`,
    selected: true,
    against: index === 1 ? (base?.key ?? null) : null,
    refused: null,
    paired: false,
    beside: index === 1 ? ['Kernel'] : [],
    trials: [],
  }));
  return {
    runs,
    arms,
    baseline: 'run-1',
    differences: [
      {
        key: 'kernel',
        title: 'Kernel',
        role: 'confounder',
        values: { [arms[0]?.key ?? '']: '6.1.0', [arms[1]?.key ?? '']: '6.1.9' },
      },
    ],
    diffs: [{ what: 'configuration', before: '#1', after: '#2', text: '--- #1\n+++ #2\n@@ @@\n-a;\n+b;\n' }],
    analysis: {
      metrics: analysis.metrics,
      answers: analysis.answers ?? [],
      statements: analysis.statements,
      arms: [base, other].flatMap((arm) => arm ?? []),
    },
    outcome: 'undecided',
    notes: ['Each side is one run.'],
    ...changes,
  };
}

const ROUTES = {
  'GET /compare': aComparison(),
  'GET /metrics/catalogue': [],
  'GET /runs': aPage([aRunSummary({ id: 'run-3', number: 3 })]),
};
const openShared = (answer: unknown) => {
  serve({ 'GET /shared/secret/comparison': answer });
  const at = '/shared/secret/comparison';
  return show(<SharedComparisonPage />, { path: '/shared/:token/comparison', at, role: null });
};
const open = (query: string) => show(<ComparePage />, { path: '/compare', at: `/compare${query}` });

describe('ComparePage', () => {
  it('says first what differs, then the answers with what stands beside them', async () => {
    const server = serve(ROUTES);
    open('?runs=run-1,run-2');
    const row = (await screen.findByRole('rowheader', { name: 'Kernel' })).closest('tr') as HTMLElement;
    expect(within(row).getByText('6.1.9')).toBeInTheDocument();
    expect(within(row).getByRole('radio', { name: 'Confounder' })).toBeChecked();
    expect(screen.getByRole('list', { name: 'Answers' })).toBeInTheDocument();
    expect(screen.getByText(/What is said here may come from that/)).toHaveTextContent(
      'Also different: Kernel.',
    );
    expect(screen.getByText('Each side is one run.')).toBeInTheDocument();
    expect(screen.getByText('nginx.conf: #1 → #2')).toBeInTheDocument();
    expect(server.to('GET /compare')).toHaveLength(1);
  });

  it('keeps baseline and factors in the address', async () => {
    serve(ROUTES);
    const { user, address } = open('?runs=run-1,run-2');
    await user.click(await screen.findByRole('button', { name: 'Make it the baseline' }));
    await waitFor(() => expect(address()).toContain('baseline=run-2'));
    await user.click(screen.getByRole('radio', { name: 'Factor' }));
    await waitFor(() => expect(address()).toContain('factor=kernel'));
  });

  it('leaves a run out, and what the address says of it', async () => {
    serve(ROUTES);
    const { user, address } = open('?runs=run-1,run-2,run-3&baseline=run-2');
    await user.click(await screen.findByRole('button', { name: 'Leave out #2' }));
    await waitFor(() => expect(decodeURIComponent(address())).toContain('runs=run-1,run-3'));
    expect(address()).not.toContain('baseline');
  });

  describe('where nothing can be compared', () => {
    const { arms, analysis: of } = aComparison();
    const nothing = { ...of, answers: [], statements: [], arms: [] };
    const openRefused = (...reasons: string[]) => {
      const refused = reasons.map((reason) => ({ ...arms[1], key: `run-2:${reason}`, refused: reason }));
      const of = [arms[0], ...refused] as RunComparison['arms'];
      serve({
        ...ROUTES,
        'GET /compare': aComparison({ arms: of, analysis: nothing, outcome: 'not_valid' }),
      });
      open('?runs=run-1,run-2');
    };

    it('names the reason of each arm', async () => {
      openRefused('another load', 'no usable trial');
      expect(await screen.findByText('Cannot be compared: another load.')).toBeInTheDocument();
      expect(screen.getByText('Cannot be compared: no usable trial.')).toBeInTheDocument();
      expect(screen.getByText(/see the reasons at each arm/)).toBeInTheDocument();
    });

    it('says once what is the reason of all', async () => {
      openRefused('another load', 'another load');
      expect(await screen.findByText(/Nothing can be compared/)).toHaveTextContent(
        'Nothing can be compared: another load.',
      );
      expect(screen.queryByText(/Cannot be compared/)).not.toBeInTheDocument();
    });
  });

  it('suggests a second run of the same experiment', async () => {
    const server = serve({ ...ROUTES, 'GET /runs/run-1': aRun() });
    const { user, address } = open('?runs=run-1');
    expect(await screen.findByText('Compare Socket sharding #1 with …')).toBeInTheDocument();
    await user.click(screen.getByRole('textbox', { name: 'Add a run' }));
    await user.click(await screen.findByRole('option', { name: /Socket sharding #3/ }));
    expect(server.to('GET /runs')[0]?.query).toMatchObject({ experiment_id: 'experiment-1' });
    await waitFor(() => expect(decodeURIComponent(address())).toBe('/compare?runs=run-1,run-3'));
    expect(await screen.findByRole('rowheader', { name: 'Kernel' })).toBeInTheDocument();
  });

  it('says that a run does not exist', async () => {
    serve({ ...ROUTES, 'GET /compare': problem(404, 'There is no such run.') });
    open('?runs=run-1,run-2');
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such run.');
  });
});

describe('A shared comparison', () => {
  it('is made of what the address asks for', async () => {
    const asked = { runs: ['run-1', 'run-2'], arms: ['reuseport'], baseline: null, factor: ['kernel'] };
    const link = { ...aShare({ kind: 'comparison' }), url: 'http://server/shared/secret/comparison' };
    const server = serve({ ...ROUTES, 'GET /compare/shares': [], 'POST /compare/shares': link });
    const { user } = open('?runs=run-1,run-2&arms=reuseport&factor=kernel');
    await user.click(await screen.findByRole('button', { name: 'Share' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Share this comparison' }));
    await user.click(await dialog.findByRole('button', { name: 'Create link' }));
    expect(await dialog.findByText(link.url)).toBeInTheDocument();
    expect(server.bodies('POST /compare/shares')).toEqual([{ ...asked, expires_in_days: 30 }]);
    expect(server.to('GET /compare/shares')[0]?.query).toEqual({ runs: 'run-2' });
  });

  it('shows the same to anyone, with nothing to change or to follow', async () => {
    openShared({ ...aComparison(), as_of: '2026-01-03T00:00:00Z', catalogue: [] });
    const row = (await screen.findByRole('rowheader', { name: 'Kernel' })).closest('tr') as HTMLElement;
    expect(within(row).getByText('Confounder')).toBeInTheDocument();
    expect(screen.getByText(/^As of .*2026/)).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Answers' })).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Arms of #2' })).toHaveTextContent('reuseport');
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
    expect(screen.getByRole('link')).toHaveAttribute('href', '/sample');
    // The one button is the page's other language.
    expect(screen.getByRole('button')).toHaveTextContent('简体中文');
  });

  it('says that a link opens nothing any more', async () => {
    openShared(problem(404, 'This link is unknown, revoked or expired.', 'unknown-link'));
    expect(await screen.findByRole('alert')).toHaveTextContent('This link is unknown, revoked or expired.');
  });
});
