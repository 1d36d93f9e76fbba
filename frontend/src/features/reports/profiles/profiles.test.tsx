import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ArmProfileOut, ProfileDifference, ProfileSummary } from '@/api/generated';
import { IN_A_FILE, ShareToken } from '@/api/shareToken';
import { aRun } from '@/test/fixtures';
import { plain } from '@/test/plain';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { remember } from '../sharing/FileReportPage';
import { NoProfiles, Profiles } from './Profiles';

const report = aReport();
const [one, other] = report.arms.map(({ key }) => key) as [string, string];
const [baselineLabel = ''] = report.arms.map(({ label }) => label);

const summary = (arm_key: string, cpu_us_per_request: number | null): ProfileSummary => ({
  arm_key,
  trials: 2,
  samples: 1000,
  requests: 40_000,
  cpu_s: 10.1,
  worker_cpu_s: 10.2,
  cpu_us_per_request,
  lost: 3,
  unresolved_percent: 1.5,
  kernel: true,
  unwinding: 'fp',
  hz: 99,
  counts:
    arm_key === one
      ? { cpu_wait_us: 12, waits: 0.5, preemptions: 0.02, migrations: null, minor_faults: 0, major_faults: 0 }
      : null,
});
const profile = (arm_key: string, cpu_us_per_request: number | null, accept: number): ArmProfileOut => ({
  ...summary(arm_key, cpu_us_per_request),
  frames: ['main', 'accept4', 'write'],
  modules: ['nginx', 'kernel', 'kernel'],
  stacks: [
    { frames: [0, 1], samples: accept },
    { frames: [0, 2], samples: 600 },
  ],
});
const difference = (arm_key: string, against: string): ProfileDifference => ({
  arm_key,
  against,
  trials: 2,
  against_trials: 2,
  cpu_us_per_request: 100,
  against_cpu_us_per_request: 60,
  false_discovery_percent: 5,
  sentence: `${arm_key}: +40 µs of CPU a request`,
  claims: [],
});

/** Both arms profiled: the baseline, which accepts for 40 µs, and the other, which does not at all. */
function routes(at = '/runs/run-1'): Record<string, unknown> {
  return {
    [`GET ${at}/profiles`]: [summary(one, 100), summary(other, 60)],
    [`GET ${at}/phases`]: [],
    [`GET ${at}/profiles/${one}`]: profile(one, 100, 400),
    [`GET ${at}/profiles/${other}`]: profile(other, 60, 0),
    [`GET ${at}/profiles/${one}/difference`]: difference(one, other),
    [`GET ${at}/profiles/${other}/difference`]: difference(other, one),
  };
}

const accept = async () => plain((await screen.findByRole('treeitem', { name: /^accept4/ })).ariaLabel);

describe('The profiles of a run', () => {
  it('show the difference from the baseline, whose arms can be swapped', async () => {
    serve(routes());
    const { user, address } = show(<Profiles report={report} />);
    const [shown, against] = [/Profile of/, /Compared with/].map(
      (name) => () => screen.getByRole('combobox', { name }),
    );
    expect(await accept()).toContain('Difference −40 µs');
    expect([shown?.(), against?.()].map((select) => (select as HTMLSelectElement).value)).toEqual([
      other,
      one,
    ]);
    await user.click(screen.getByRole('button', { name: 'Swap the arms' }));
    await screen.findByText(`${one}: +40 µs of CPU a request`);
    expect(await accept()).toContain('Difference +40 µs');
    expect(address()).toBe(`/?profile=${one}&against=${other}`);
  });

  it('show one arm by itself', async () => {
    serve(routes());
    const { user } = show(<Profiles report={report} />, { path: '/', at: `/?profile=${one}` });
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Compared with' }), 'no other arm');
    expect(await accept()).toContain('CPU a request 40 µs');
  });

  it('say how much of the CPU time they rest on', async () => {
    serve(routes());
    show(<Profiles report={report} />);
    const [table, counts] = (await screen.findAllByRole('table')).slice(-2) as HTMLElement[];
    const row = within(table as HTMLElement)
      .getByText(baselineLabel)
      .closest('tr') as HTMLElement;
    expect(row).toHaveTextContent('40,000');
    expect(row).toHaveTextContent('1.5');
    const counted = within(counts as HTMLElement)
      .getByText(baselineLabel)
      .closest('tr') as HTMLTableRowElement;
    expect([...counted.cells].slice(1).map((cell) => plain(cell.textContent))).toEqual([
      '12 ms',
      '500',
      '20',
      '–',
      '0',
      '0',
    ]);
  });

  it('are read in a shared report', async () => {
    serve(routes('/shared/t0ken'));
    show(
      <ShareToken value="t0ken">
        <Profiles report={report} />
        <NoProfiles report={report} />
      </ShareToken>,
    );
    expect(await accept()).toContain('Difference');
    expect(screen.queryByRole('button', { name: 'Profile its arms' })).not.toBeInTheDocument();
  });

  it('are in a report that is a file, where two arms that nobody compared are drawn all the same', async () => {
    const client = new QueryClient();
    remember(client, {
      report,
      series: [],
      latency_maps: [],
      profiles: [profile(one, 100, 400), profile(other, 60, 0)],
      profile_differences: [difference(other, one)],
    });
    serve({});
    const { user } = show(
      <QueryClientProvider client={client}>
        <ShareToken value={IN_A_FILE}>
          <Profiles report={report} />
        </ShareToken>
      </QueryClientProvider>,
    );
    expect(await screen.findByText(`${other}: +40 µs of CPU a request`)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Swap the arms' }));
    expect(await accept()).toContain('Difference +40 µs');
  });

  it('say so where no request was counted', async () => {
    serve({
      ...routes(),
      [`GET /runs/run-1/profiles/${one}`]: profile(one, null, 400),
    });
    show(<Profiles report={report} />);
    expect(await screen.findByText('No CPU a request')).toBeVisible();
  });
});

describe('A run without profiles', () => {
  const completed = aRun({ state: 'completed', may_change: true, raw_removed: null, imported: null });

  it('can have its arms profiled by its owner', async () => {
    const server = serve({
      'GET /runs/run-1': completed,
      'GET /runs/run-1/profiles': [],
      'GET /runs/run-1/profile': { reason: null },
      'POST /runs/run-1/profile': aRun({ state: 'queued' }),
    });
    const { user, address } = show(<NoProfiles report={report} />);
    await user.click(await screen.findByRole('button', { name: 'Profile its arms' }));
    expect(server.bodies('POST /runs/run-1/profile')).toEqual([{}]);
    expect(address()).toBe('/runs/run-1');
  });

  it('says why its host cannot before anybody asks for it', async () => {
    serve({
      'GET /runs/run-1': completed,
      'GET /runs/run-1/profiles': [],
      'GET /runs/run-1/profile': { reason: 'The host has no perf: apt install linux-perf.' },
    });
    show(<NoProfiles report={report} />);
    expect(await screen.findByText(/apt install linux-perf/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Profile its arms' })).toBeDisabled();
  });

  it('says why its host cannot any more', async () => {
    serve({
      'GET /runs/run-1': completed,
      'GET /runs/run-1/profiles': [],
      'GET /runs/run-1/profile': { reason: null },
      'POST /runs/run-1/profile': problem(409, 'The host is draining.', 'host-draining'),
    });
    const { user } = show(<NoProfiles report={report} />);
    await user.click(await screen.findByRole('button', { name: 'Profile its arms' }));
    expect(await screen.findByText(/is draining/)).toBeVisible();
  });

  it.each([
    ['of somebody else', { may_change: false }],
    ['that goes on', { state: 'running' as const }],
    ['whose raw data are gone', { raw_removed: { at: '2026-11-01T00:00:00Z', days: 30 } }],
  ])('has nothing to show of a run %s', async (_, change) => {
    const server = serve({ 'GET /runs/run-1': { ...completed, ...change }, 'GET /runs/run-1/profiles': [] });
    show(<NoProfiles report={report} />);
    await expect.poll(() => server.to('GET /runs/run-1').length).toBe(1);
    expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  });
});
