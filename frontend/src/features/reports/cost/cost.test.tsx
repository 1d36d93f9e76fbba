import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TrialHostSummary } from '@/api/generated';
import { rowsOf, show } from '@/test/show';
import { aReport, withSummaries } from '../report.testdata';
import { CostSection } from './CostSection';

function aHost(name: string, cpu: number | null): TrialHostSummary {
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
  };
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
      expect.stringMatching(/^web \| target \| 3 \| 0\.75\d* % \| 2(\.0+)? % \| –$/),
      'load | generator, upstream | 3 | – | – | –',
    ]);
    expect(screen.getByText(/kernel does not tell/)).toBeInTheDocument();
  });

  it('knows the target of runs whose summaries say nothing of each host', () => {
    show(
      <CostSection report={withSummaries(() => ({ hosts: [], agent_cpu_percent: 0.5, sampling: null }))} />,
    );
    expect(rowsOf(screen.getByRole('table'))[0]).toMatch(
      /^target \| target \| \d+ \| 0\.5\d* % \| 0\.5\d* % \| –$/,
    );
  });
});
