import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ServerCost, TrialHostSummary } from '@/api/generated';
import { rowsOf, show } from '@/test/show';
import { CostSection } from './CostSection';
import { aReport, withSummaries } from './report.testdata';

function aHost(name: string, cpu: number | null, server: ServerCost | null = null): TrialHostSummary {
  return {
    name,
    host_id: name,
    hostname: name,
    roles: name === 'web' ? ['target'] : ['generator', 'upstream'],
    clock_offset_us: 0,
    cpu_percent_by_mode: {},
    cores_by_role: {},
    network: [],
    agent_cpu_percent: cpu,
    sampling: null,
    server,
  };
}

function showHosts(hosts: TrialHostSummary[][]) {
  const trials = hosts.flatMap((some) =>
    aReport()
      .trials.slice(0, 1)
      .map(({ trial, summary }) => ({ trial, summary: { ...summary, usable: true, hosts: some } })),
  );
  show(<CostSection report={aReport({ trials })} />);
  return rowsOf(screen.getByRole('table'));
}

describe('CostSection', () => {
  it('tells the median and the highest of each host over the trials that are used', () => {
    const cpu = [0.25, 2, 0.75, 90];
    const trials = [...aReport().trials, ...aReport().trials].map(({ trial, summary }, place) => ({
      trial,
      summary: {
        ...summary,
        usable: place < 3,
        hosts: [aHost('web', cpu[place] ?? null), aHost('load', null)],
      },
    }));
    show(<CostSection report={aReport({ trials })} />);
    const rows = rowsOf(screen.getByRole('table'));
    expect(rows).toEqual([
      expect.stringMatching(/^web \| target \| 3 \| – \| agent \| 0\.75\d* % \| 2(\.0+)? %$/),
      'load | generator, upstream | 3 | – | agent | – | –',
    ]);
    expect(screen.getByText(/No agent knows of a server/)).toBeInTheDocument();
    expect(screen.getByText(/kernel does not tell/)).toBeInTheDocument();
  });

  it('knows the target of runs whose summaries say nothing of each host', () => {
    show(
      <CostSection report={withSummaries(() => ({ hosts: [], agent_cpu_percent: 0.5, sampling: null }))} />,
    );
    expect(rowsOf(screen.getByRole('table'))[0]).toMatch(
      /^target \| target \| \d+ \| – \| agent \| 0\.5\d* % \| 0\.5\d* %$/,
    );
  });

  it('tells what the server on the same machine took, service by service', () => {
    const used = (backend: number, postgres: number): ServerCost => ({
      cpu_percent_by_service: { backend, postgres },
      is_changed: false,
    });
    const changed: ServerCost = { cpu_percent_by_service: {}, is_changed: true };
    const rows = showHosts([
      [aHost('web', 0.5, used(1, 0.5)), aHost('load', 0.5)],
      [aHost('web', 0.5, used(3, 0.25)), aHost('load', 0.5)],
      [aHost('web', 0.5, changed), aHost('load', 0.5)],
    ]);
    expect(rows).toEqual([
      expect.stringMatching(/^web \| target \| 3 \| – \| agent \| 0\.5/),
      expect.stringMatching(/^server, all services \| 2\.3[78]\d* % \| 3\.25\d* %$/),
      expect.stringMatching(/^· backend \| 2(\.0+)? % \| 3(\.0+)? %$/),
      expect.stringMatching(/^· PostgreSQL \| 0\.3[78]\d* % \| 0\.5\d* %$/),
      expect.stringMatching(/^load \|/),
    ]);
    expect(screen.getByText(/In 1 trial, services of the server began or ended/)).toBeInTheDocument();
  });
});
