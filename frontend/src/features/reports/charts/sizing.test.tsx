import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { SizedRate, Sizing } from '@/api/generated';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { SizingSection, sizingCsv } from './SizingSection';
import { hostsFor } from './sizing';

const rate = (per_s: number, how: SizedRate['how'] = 'derived'): SizedRate => ({
  per_s,
  low: 0.9 * per_s,
  high: 1.1 * per_s,
  how,
  why: null,
});

const unknown: SizedRate = {
  per_s: null,
  low: null,
  high: null,
  how: 'not-measured',
  why: 'no rate that was tried meets it, from 500/s on',
};

function aSizing(changes: Partial<Sizing> = {}): Sizing {
  const [first, second] = aReport().arms.map(({ key }) => key) as [string, string];
  return {
    stream: 'clients',
    not_valid: null,
    percentiles: [
      {
        percentile: 'p99',
        besides: 'errors ≤ 0.1 %',
        goals_ms: [5, 10, 20],
        searched_ms: 10,
        arms: [
          { arm: first, rates: [unknown, rate(10_000, 'searched'), rate(12_000)] },
          { arm: second, rates: [rate(15_000), rate(20_000, 'searched'), rate(31_000)] },
        ],
      },
    ],
    ...changes,
  };
}

describe('SizingSection', () => {
  it('begins with the goal that was searched for, and marks what was derived as the slider moves', () => {
    show(<SizingSection report={aReport()} sizing={aSizing()} />);
    expect(screen.getByText(/p99 ≤ 10 ms and errors ≤ 0.1 %/)).toBeVisible();
    expect(screen.getAllByText('searched for')).toHaveLength(2);
    expect(screen.getByText('20,000 (18,000 to 22,000)')).toBeVisible();
    fireEvent.change(screen.getByRole('slider', { name: 'Goal' }), { target: { value: '2' } });
    expect(screen.getByText(/p99 ≤ 20 ms and errors ≤ 0.1 %/)).toBeVisible();
    expect(screen.getAllByText('derived')).toHaveLength(2);
    expect(screen.getByText('31,000 (27,900 to 34,100)')).toBeVisible();
  });

  it('says why what was not reached is not measured', () => {
    show(<SizingSection report={aReport()} sizing={aSizing()} />);
    fireEvent.change(screen.getByRole('slider', { name: 'Goal' }), { target: { value: '0' } });
    expect(screen.getAllByText('not measured')[0]).toBeVisible();
    expect(screen.getByText('no rate that was tried meets it, from 500/s on')).toBeVisible();
  });

  it('has nothing to move and no chart where only one goal is known', () => {
    const sizing = aSizing();
    const percentiles = sizing.percentiles.map((one) => ({
      ...one,
      goals_ms: one.goals_ms.slice(1, 2),
      arms: one.arms.map(({ arm, rates }) => ({ arm, rates: rates.slice(1, 2) })),
    }));
    show(<SizingSection report={aReport()} sizing={{ ...sizing, percentiles }} />);
    expect(screen.getByText(/p99 ≤ 10 ms and errors ≤ 0.1 %/)).toBeVisible();
    expect(screen.queryByRole('slider')).toBeNull();
    expect(screen.queryByText('Capacity against the bound on p99')).toBeNull();
  });

  it('says how many hosts a load takes', () => {
    show(<SizingSection report={aReport()} sizing={aSizing()} />);
    expect(screen.getByText('15 (13 to 16)')).toBeVisible();
    fireEvent.change(screen.getByRole('textbox', { name: 'Reserve of each host, %' }), {
      target: { value: '0' },
    });
    expect(screen.getByText('10 (10 to 12)')).toBeVisible();
  });

  it('says that it is not valid where a check voids it', () => {
    const not_valid = 'the generator was saturated';
    show(<SizingSection report={aReport()} sizing={aSizing({ not_valid })} />);
    expect(screen.getByText(not_valid)).toBeVisible();
  });

  it('writes every goal as a line of CSV', () => {
    const [head, first, second] = sizingCsv(aSizing()).split('\r\n');
    expect(head).toBe('arm,percentile,goal_ms,per_s,low_per_s,high_per_s,how');
    expect(first?.split(',').slice(1)).toEqual(['p99', '5', '', '', '', 'not-measured']);
    expect(second?.split(',').slice(1)).toEqual(['p99', '10', '10000', '9000', '11000', 'searched']);
  });
});

describe('hosts', () => {
  it('are whole, and as many as the reserve wants', () => {
    expect(hostsFor(rate(1000), 10_000, 0)?.hosts).toBe(10);
    expect(hostsFor(rate(1000), 10_001, 0)?.hosts).toBe(11);
    expect(hostsFor(rate(1000), 10_000, 50)?.hosts).toBe(20);
    expect(hostsFor(rate(1000), 10_000, 50)?.between).toEqual([19, 23]);
    expect(hostsFor(unknown, 10_000, 0)).toBeNull();
  });
});
