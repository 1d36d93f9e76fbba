import { describe, expect, it } from 'vitest';
import type { Point } from '@/domain/series';
import { alignLines, highestIn, highestReading, type Line, rowsWithin } from './align';

const line = (id: string, points: Point[]): Line => ({ id, label: id, color: '', points });
const seconds = (from: number, to: number, offset = 0): Point[] =>
  Array.from({ length: to - from + 1 }, (_, index) => [from + index + offset, from + index]);

describe('alignLines', () => {
  it('puts trials with different phases on common instants', () => {
    const rows = alignLines([line('a', seconds(-2, 3, 0.02)), line('b', seconds(-2, 3, -0.04))]);
    expect(rows.map((row) => row.t)).toEqual([-2, -1, 0, 1, 2, 3]);
    expect(rows.map((row) => row.values)).toEqual([-2, -1, 0, 1, 2, 3].map((value) => [value, value]));
  });

  it('keeps a marked gap a gap', () => {
    const points = seconds(0, 4).map(([t, value]): Point => [t, t === 2 ? null : value]);
    expect(alignLines([line('a', points)]).map((row) => row.values[0])).toEqual([0, 1, null, 3, 4]);
  });

  it('shows missing readings as a gap, but bridges the distance of a thinned line', () => {
    const sparse = line('sparse', [
      [0, 0],
      [2, 20],
      [4, 40],
    ]);
    const dense = line('dense', [...seconds(0, 1), ...seconds(6, 8)]);
    const rows = alignLines([dense, sparse]);
    expect(rows.find((row) => row.t === 4)?.values).toEqual([null, 40]);
    expect(rows.find((row) => row.t === 3)?.values).toEqual([null, 30]);
  });

  it('has no value before a line begins or after it ends', () => {
    const rows = alignLines([line('a', seconds(0, 5)), line('b', seconds(2, 3))]);
    expect(rows.map((row) => row.values[1])).toEqual([null, null, 2, 3, null, null]);
  });

  it('is empty without points', () => expect(alignLines([line('a', [])])).toEqual([]));

  it('stays drawable for a day of readings', () => {
    expect(alignLines([line('a', seconds(0, 86_400))]).length).toBeLessThanOrEqual(801);
  });
});

describe('A range of rows', () => {
  const rows = alignLines([line('a', seconds(0, 9)), line('b', seconds(0, 9))]);

  it('has the rows next to it, so that curves reach its edges', () => {
    expect(rowsWithin(rows, [3, 5]).map(({ t }) => t)).toEqual([2, 3, 4, 5, 6]);
    expect(rowsWithin(rows, [3.5, 3.9]).map(({ t }) => t)).toEqual([3, 4]);
    expect(rowsWithin(rows, [20, 30]).map(({ t }) => t)).toEqual([9]);
  });

  it('is all of them, unchanged, where nothing lies outside', () => {
    expect(rowsWithin(rows, [0, 9])).toBe(rows);
    expect(rowsWithin(rows, [-5, 60])).toBe(rows);
  });

  it('is as high as its highest line, or as its stack', () => {
    expect(highestIn(rowsWithin(rows, [0, 4.5]), false)).toBe(5);
    expect(highestIn(rowsWithin(rows, [0, 4.5]), true)).toBe(10);
    expect(highestReading([line('a', seconds(0, 9)), line('b', [])], [0, 4.5])).toBe(5);
    expect(highestIn([], false)).toBe(0);
  });
});
