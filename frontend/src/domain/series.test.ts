import { describe, expect, it } from 'vitest';
import {
  insertPoint,
  type LivePoint,
  mergePoints,
  mergeSeries,
  type Point,
  type Series,
  withDetail,
} from './series';

const live = (t_s: number, value: number | null, label = 'wrk'): LivePoint => ({
  key: 'requests_per_s',
  label,
  unit: 'requests/s',
  t_s,
  value,
});
const line = (points: Point[], label = 'wrk'): Series => ({
  key: 'requests_per_s',
  label,
  unit: 'requests/s',
  points,
});

describe('insertPoint', () => {
  it('keeps time order whatever the order of arrival', () => {
    const points: Point[] = [];
    for (const t of [3, 1, 2, 0]) insertPoint(points, [t, t * 10]);
    expect(points).toEqual([
      [0, 0],
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
  });

  it('lets a repeated instant replace what was known of it', () => {
    const points: Point[] = [
      [1, 10],
      [2, null],
    ];
    insertPoint(points, [2.0001, 20]);
    insertPoint(points, [1, 11]);
    expect(points).toEqual([
      [1, 11],
      [2.0001, 20],
    ]);
  });
});

describe('mergePoints', () => {
  it('ignores a replay after a resumed connection', () => {
    const events = [live(0, 1), live(1, 2), live(2, 3)];
    const once = mergePoints([], events);
    expect(mergePoints(once, events)).toEqual(once);
  });

  it('fills a hole that a replay brings later', () => {
    const withHole = mergePoints([], [live(0, 1), live(3, 4)]);
    expect(mergePoints(withHole, [live(1, 2), live(2, 3)])[0]?.points.map(([t]) => t)).toEqual([0, 1, 2, 3]);
  });

  it('changes only the lines that got points, and never the old data', () => {
    const before = [line([[0, 1]]), line([[0, 9]], 'other')];
    const after = mergePoints(before, [live(1, 2)]);
    expect(after[1]).toBe(before[1]);
    expect(after[0]).not.toBe(before[0]);
    expect(before[0]?.points).toHaveLength(1);
  });

  it('thins the past of a very long trial, not its present', () => {
    const points = Array.from({ length: 2401 }, (_, t) => live(t, t));
    const [merged] = mergePoints([], points);
    expect(merged?.points.length).toBeLessThan(2401);
    expect(merged?.points.slice(-3).map(([t]) => t)).toEqual([2398, 2399, 2400]);
  });
});

describe('mergeSeries', () => {
  it('takes the database for what it knows, and the live points for what came since', () => {
    const fetched = [
      line([
        [0, 1],
        [1, 2],
      ]),
    ];
    const received = [
      line([
        [1, 99],
        [2, 3],
      ]),
      line([[2, 5]], 'second'),
    ];
    expect(mergeSeries(fetched, received)).toEqual([
      line([
        [0, 1],
        [1, 2],
        [2, 3],
      ]),
      line([[2, 5]], 'second'),
    ]);
  });
});

describe('withDetail', () => {
  const whole: Point[] = [
    [0, 1],
    [4, 5],
    [8, 9],
    [12, 13],
  ];

  it('puts a part in the place of the points that it has more of, and leaves other lines alone', () => {
    const series = [line(whole), line(whole, 'other')];
    const detail = [
      line([
        [4, 5],
        [6, 7],
        [8, 9],
      ]),
    ];
    const shown = withDetail(series, detail, [4, 8]);
    expect(shown[0]?.points).toEqual([
      [0, 1],
      [4, 5],
      [6, 7],
      [8, 9],
      [12, 13],
    ]);
    expect(shown[1]).toBe(series[1]);
  });
});
