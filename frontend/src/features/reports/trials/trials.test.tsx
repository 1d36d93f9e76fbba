import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { problem, serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import { aReport, withSummaries } from '../report.testdata';
import { ActionsSection } from './ActionsSection';
import { TrialsSection } from './TrialsSection';

const FILES = [
  { name: 'nginx-V.txt', text: 'nginx version: nginx/1.22.1', truncated: false },
  { name: 'error.log', text: '', truncated: true },
];

async function openDetails(answer: unknown) {
  const server = serve({ 'GET /trials/trial-3/artefacts': answer, 'GET /runs/run-1/notes': [] });
  const { user } = show(<TrialsSection report={aReport()} />);
  await user.click(screen.getAllByRole('button', { name: 'Details' })[1] as HTMLElement);
  return { server, user, dialog: within(await screen.findByRole('dialog', { name: 'Trial 3' })) };
}

describe('TrialsSection', () => {
  it('shows each trial in its order, and whether the counts of its requests agree', () => {
    show(<TrialsSection report={aReport({ trials: aReport().trials.reverse() })} />);
    expect(rowsOf(screen.getByRole('table'))).toEqual([
      '2 | 1 | accept_mutex on | 45,586 | 6.08 ms | 177,316 | 177,416 | 177,516 | 0.11 % | Details',
      expect.stringMatching(/^3 \| 1 \| reuseport \| 41,792 \| 11\.91? ms \| /),
    ]);
  });

  it('marks a trial that is not used', () => {
    const report = withSummaries((_, place) => (place === 0 ? { usable: false, requests_per_s: null } : {}));
    show(<TrialsSection report={report} />);
    const [unused] = rowsOf(screen.getByRole('table'));
    expect(unused).toMatch(/accept_mutex on \(completed, not used\) \| – \|/);
  });

  it('opens a trial: its figures, what wrk printed, and its files', async () => {
    const { dialog, user } = await openDetails(FILES);
    expect(await dialog.findByText('As printed by wrk')).toBeInTheDocument();
    expect(await dialog.findByText('nginx version: nginx/1.22.1')).toBeInTheDocument();
    dialog.getByRole('tab', { name: 'nginx-V.txt' }).focus();
    await user.keyboard('{ArrowRight}');
    expect(await dialog.findByText('(empty)')).toBeInTheDocument();
    expect(dialog.getByText('Only the first part was kept.')).toBeInTheDocument();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('says that there are no files, or why they cannot be read', async () => {
    const { dialog, server, user } = await openDetails(problem(500, 'The database is away.'));
    expect(await dialog.findByText('The database is away.')).toBeInTheDocument();
    server.answer('GET /trials/trial-3/artefacts', []);
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByText('No file was kept.')).toBeInTheDocument();
  });
});

describe('ActionsSection', () => {
  const action = (count: number, failed: number, mean_s: number) => ({
    host: 'alpha',
    perturbation: 'reload',
    action: 'reload',
    count,
    failed,
    skipped: 0,
    mean_s,
    max_s: mean_s,
  });

  it('tells what perturbations did, arm by arm', () => {
    const report = withSummaries((_, place) => ({ actions: [action(4, place, 0.001 * (place + 1))] }));
    show(<ActionsSection report={report} />);
    expect(rowsOf(screen.getByRole('table'))).toEqual([
      'reload | accept_mutex on | alpha | 4 | 0 | 0 | 1 ms | 1 ms',
      'reload | reuseport | alpha | 4 | 1 | 0 | 2 ms | 2 ms',
    ]);
  });

  it('leaves out trials that are not used', () => {
    const report = withSummaries((_, place) => ({ usable: place > 0, actions: [action(4, 0, 0.001)] }));
    show(<ActionsSection report={report} />);
    expect(rowsOf(screen.getByRole('table'))).toEqual([expect.stringMatching(/^reload \| reuseport \|/)]);
  });

  it('is left out where nothing was done', () => {
    show(<ActionsSection report={aReport()} />);
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });
});
