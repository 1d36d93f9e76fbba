import { describe, expect, it } from 'vitest';
import { roundUp } from '../axes';
import { type AxisMark, highestOf, levelRows, placeAxisMarks, xDomain, xTicks } from './levelLines';

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

describe('a predicted value', () => {
  const rows = levelRows([
    line('a', [
      [10, 100],
      [50, 300],
    ]),
  ]);
  const mark = (axis: 'x' | 'y', at: number): AxisMark => ({ axis, at, label: '', simulated: true });
  const drawn = (marks: AxisMark[]) => placeAxisMarks(rows, marks).within;

  it('near what was measured widens the axis to it', () => {
    const marks = [mark('x', 90), mark('y', 600)];
    expect(drawn(marks)).toEqual(marks);
    expect(xDomain(rows, drawn(marks))[1]).toBeGreaterThan(90);
    expect(highestOf(rows, drawn(marks))).toBe(600);
  });

  it('far outside leaves the axis to what was measured, and is at its edge', () => {
    const marks = [mark('x', 4000), mark('x', -200), mark('y', 601)];
    expect(placeAxisMarks(rows, marks)).toEqual({
      within: [],
      beyond: [
        { ...marks[0], side: 'high' },
        { ...marks[1], side: 'low' },
        { ...marks[2], side: 'high' },
      ],
    });
    expect(xDomain(rows, drawn(marks))).toEqual(xDomain(rows, []));
    expect(highestOf(rows, drawn(marks))).toBe(300);
  });

  it('beside a single level may be twice it', () => {
    const one = levelRows([line('a', [[10, 100]])]);
    expect(placeAxisMarks(one, [mark('x', 20), mark('x', 21)])).toMatchObject({
      within: [{ at: 20 }],
      beyond: [{ at: 21 }],
    });
  });
});

it('ends an axis at a round number', () => {
  expect([29.7, 1, 0.31, 1001, 0].map(roundUp)).toEqual([30, 1, 0.4, 1500, 0]);
});
