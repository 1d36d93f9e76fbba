import { describe, expect, it } from 'vitest';
import { roundUp } from '../roundUp';
import { highestOf, levelRows, xDomain, xTicks } from './levelLines';

const line = (label: string, points: [number, number, number[]?][], slope?: number) => ({
  label,
  color: '',
  points: points.map(([x, y, values = []]) => ({ x, y, values })),
  regression: slope === undefined ? null : { slope, intercept: 1 },
});

describe('lines over levels', () => {
  const rows = levelRows([
    line(
      'a',
      [
        [1, 10, [8, 12]],
        [3, 30],
      ],
      2,
    ),
    line('b', [[2, 5]]),
  ]);

  it('share one row for each level, with a hole where a line has none', () => {
    expect(rows.map(({ x }) => x)).toEqual([1, 2, 3]);
    expect(rows.map(({ means }) => means)).toEqual([
      [10, null],
      [null, 5],
      [30, null],
    ]);
  });

  it('know the fitted value at the ends only, and the range of several trials', () => {
    expect(rows.map(({ fits }) => fits[0])).toEqual([3, null, 7]);
    expect(rows.map(({ ranges }) => ranges[0])).toEqual([[8, 12], null, null]);
  });

  it('have room for marks, and their own values as ticks', () => {
    const mark = { axis: 'x' as const, at: 11, label: '', simulated: false };
    const [low, high] = xDomain(rows, [mark, { ...mark, axis: 'y', at: 900 }]);
    expect(low).toBeLessThan(1);
    expect(high).toBeCloseTo(11.4);
    expect(xTicks(rows)).toEqual([1, 2, 3]);
  });
});

it('ends the axis of values beyond all that is drawn', () => {
  const rows = [{ x: 1, means: [5, null], fits: [7, null], ranges: [[4, 9] as [number, number], null] }];
  const mark = { axis: 'y' as const, at: 11, label: '', simulated: false };
  expect([highestOf(rows, []), highestOf(rows, [mark]), highestOf([], [{ ...mark, axis: 'x' }])]).toEqual([
    9, 11, 0,
  ]);
});

it('ends an axis at a round number', () => {
  expect([29.7, 1, 0.31, 1001, 0].map(roundUp)).toEqual([30, 1, 0.4, 1500, 0]);
});
