import { describe, expect, it } from 'vitest';
import type { SeriesInfo } from '@/api/generated';
import { CHARTS, type ChartDefinition } from '@/components/charts/series/definitions';
import type { TrialSource } from '@/components/charts/series/lines';
import type { Point } from '@/domain/series';
import { type LiveChart, linesOf } from './liveLines';

const chart = (key: string, changes: Partial<LiveChart> = {}): LiveChart => ({
  info: { key, stacked: key === 'cpu_share' } as SeriesInfo,
  definition: CHARTS.find((one) => one.key === key) as ChartDefinition,
  title: key,
  ...changes,
});
function source(
  trialId: string,
  armIndex: number,
  key: string,
  values: Record<string, number[]>,
): TrialSource {
  const series = Object.entries(values).map(([label, read]) => ({
    key,
    label,
    unit: '',
    points: read.map((value, t): Point => [t, value]),
  }));
  return { trialId, armIndex, armLabel: `arm ${armIndex}`, series, actions: [] };
}
const shown = (lines: ReturnType<typeof linesOf>) =>
  lines.map(({ label, faint, points }) => [label, Boolean(faint), points.length]);

describe('lines of a trial that has only begun', () => {
  const rates = chart('requests_per_s', { label: 'wrk' });
  const rate = (id: string, arm: number, read: number[]) => source(id, arm, 'requests_per_s', { wrk: read });

  it('are those of the trial before, faint, where it was of the same arm', () => {
    const lines = linesOf(rates, {
      trials: [rate('now', 0, []), rate('b', 1, [5])],
      before: rate('a', 0, [1, 2]),
    });
    expect(shown(lines)).toEqual([
      ['arm 0', true, 2],
      ['arm 1', true, 1],
    ]);
  });

  it('leave the other arms what they are, whichever ran before', () => {
    const b = rate('b', 1, [5]);
    expect(shown(linesOf(rates, { trials: [rate('now', 0, []), b], before: b }))).toEqual([
      ['arm 0', false, 0],
      ['arm 1', true, 1],
    ]);
  });

  it('are its own from the first reading on', () => {
    const lines = linesOf(rates, { trials: [rate('now', 0, [7])], before: rate('a', 0, [1, 2]) });
    expect(shown(lines)).toEqual([['arm 0', false, 1]]);
  });
});

describe('parts of a stack', () => {
  it('that have been something keep their places once their trial is no longer known', () => {
    const cpu = chart('cpu_share');
    const named = new Set<string>();
    linesOf(cpu, { trials: [source('a', 0, 'cpu_share', { user: [3], irq: [1] })] }, named);
    const now = { trials: [source('b', 0, 'cpu_share', { user: [4], irq: [0] })] };
    expect(shown(linesOf(cpu, now, named)).map(([label]) => label)).toEqual(['user', 'irq']);
    expect(shown(linesOf(cpu, now)).map(([label]) => label)).toEqual(['user']);
    const later = { trials: [source('c', 0, 'cpu_share', { user: [4] })] };
    expect(shown(linesOf(cpu, later, named))).toEqual([
      ['user', false, 1],
      ['irq', false, 0],
    ]);
  });

  it('keep their places in the legend when they are nothing in this trial', () => {
    const before = source('a', 0, 'cpu_share', { user: [3, 4], irq: [0, 1], steal: [0, 0] });
    const now = source('now', 1, 'cpu_share', { user: [5], irq: [0], steal: [0] });
    const cpu = chart('cpu_share');
    expect(linesOf(cpu, { trials: [now], before }).map(({ label }) => label)).toEqual(['user', 'irq']);
    expect(linesOf(cpu, { trials: [now] }).map(({ label }) => label)).toEqual(['user']);
  });

  it('do not move those that were there when they become something for the first time', () => {
    const cpu = chart('cpu_share');
    const named = new Set<string>();
    const labels = (parts: Parameters<typeof source>[3]) =>
      linesOf(cpu, { trials: [source('a', 0, 'cpu_share', parts)] }, named).map(({ label }) => label);
    expect(labels({ user: [0], irq: [2] })).toEqual(['irq']);
    expect(labels({ user: [0, 1], irq: [2, 1] })).toEqual(['irq', 'user']);
  });
});
