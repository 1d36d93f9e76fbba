import { describe, expect, it } from 'vitest';
import type { Point } from '@/domain/series';
import { plain } from '@/test/plain';
import {
  cellText,
  endsOf,
  type Heat,
  heatOfLines,
  LEVELS,
  levelOf,
  levelPaths,
  summaryOf,
  ticksOf,
} from './heat';

const worker = (number: number, points: Point[]) => ({
  id: `worker ${number}`,
  label: `worker ${number}`,
  color: '',
  points,
});
const every = (seconds: readonly number[], value: (t: number) => number | null): Point[] =>
  seconds.map((t) => [t, value(t)]);
const seconds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('A heat map of lines', () => {
  it('has a row a line and a column a reading; a gap stays empty', () => {
    const heat = heatOfLines(
      [
        worker(
          1,
          every([0, 1, 2], () => 50),
        ),
        worker(
          2,
          every([0, 1, 2], (t) => (t === 1 ? null : 10)),
        ),
      ],
      100,
    );
    expect(heat.rows).toEqual(['worker 1', 'worker 2']);
    expect(heat.times).toEqual([0, 1, 2]);
    expect(heat.values).toEqual([
      [50, 50, 50],
      [10, null, 10],
    ]);
  });

  it('has the means of neighbours where there are more readings than columns', () => {
    const heat = heatOfLines(
      [
        worker(
          1,
          every(seconds(0, 239), (t) => t % 2),
        ),
      ],
      1,
    );
    expect(heat.times).toHaveLength(120);
    expect(heat.step).toBe(2);
    expect(heat.times.slice(0, 2)).toEqual([0.5, 2.5]);
    expect(new Set(heat.values[0])).toEqual(new Set([0.5]));
  });

  it('is empty without readings', () => {
    expect(heatOfLines([worker(1, [])], 0).times).toEqual([]);
  });
});

const drawn = (changes: Partial<Heat>): Heat => ({
  times: [0, 1, 2],
  step: 1,
  rows: ['a'],
  values: [[0, 50, 100]],
  top: 100,
  ...changes,
});

describe('The colours', () => {
  it('go from zero to the top in equal steps, and no further', () => {
    const heat = drawn({});
    expect([0, 9, 10, 99, 100, 250].map((value) => levelOf(value, heat))).toEqual([0, 0, 1, 9, 9, 9]);
    expect(levelOf(null, heat)).toBeNull();
    expect(endsOf(heat, '%')).toEqual(['0', '100\u00a0%']);
  });

  it('go in equal ratios where values are counts, of which zero has none', () => {
    const heat = drawn({ top: 10_000, isLogarithmic: true });
    expect([0, 1, 10, 100, 10_000].map((value) => levelOf(value, heat))).toEqual([null, 0, 2, 5, 9]);
    expect(endsOf(heat, 'requests')).toEqual(['1', '10k']);
  });

  it('are one path each, in which equal neighbours are one rectangle', () => {
    const paths = levelPaths(drawn({ values: [[100, 100, null]] }), {
      left: (column) => column * 10,
      upper: (row) => row * 5,
    });
    expect(paths).toHaveLength(LEVELS);
    expect(paths.filter(Boolean)).toEqual(['M0 0H20v5H0z']);
    expect(paths[LEVELS - 1]).toBe('M0 0H20v5H0z');
  });
});

describe('What a heat map says', () => {
  const heat = drawn({
    times: [-1, 0, 1],
    rows: ['CPU 0', 'CPU 1'],
    values: [
      [99, 10, 20],
      [0, 80, null],
    ],
  });

  it('names as many rows as have room, and of long names the end', () => {
    expect(ticksOf(heat, 100)).toEqual([
      { at: 0.5, text: 'CPU\u00a00' },
      { at: 1.5, text: 'CPU\u00a01' },
    ]);
    expect(ticksOf(heat, 14)).toHaveLength(1);
    expect(ticksOf(drawn({ rows: ['generator-a: CPU 12'] }), 100)[0]?.text).toBe('…a:\u00a0CPU\u00a012');
  });

  it('is which row, when, and how much', () => {
    expect(plain(cellText(heat, { row: 1, column: 1 }, '%'))).toBe('CPU 1 at 0 s: 80 %');
    expect(plain(cellText(heat, { row: 1, column: 2 }, '%'))).toBe('CPU 1 at 1 s: no reading');
  });

  it('is which row had most and least in the measured window', () => {
    expect(plain(summaryOf(heat, '%', 10))).toBe('On average most: CPU 1, 80 %; least: CPU 0, 15 %.');
    expect(summaryOf(heat, '%', -1)).toBe('No readings in the measured window.');
  });
});
