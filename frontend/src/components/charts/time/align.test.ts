import { describe, expect, it } from 'vitest';
import type { Point } from '@/domain/series';
import { alignLines, type Line } from './align';

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
