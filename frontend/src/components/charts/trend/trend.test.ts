import { describe, expect, it } from 'vitest';
import { bandsOf, marksOf, rowsOf, segmentsOf, timeDomain, valueTicks } from './trend';

const value = (run: number, mean: number, stretch = 0) => ({
  run,
  mean,
  low: mean - 1,
  high: mean + 1,
  stretch,
});
const series = (label: string, ...values: ReturnType<typeof value>[]) => ({
  label,
  color: '',
  values,
  changes: [],
});
const at = (run: number, t: number, changed = '') => ({ run, t, changed, notes: 0 });

describe('a trend', () => {
  it('has a line for each stretch, and a row for each run', () => {
    const segments = segmentsOf([series('a', value(1, 10), value(3, 12, 1)), series('b', value(2, 5))]);
    expect(segments.map(({ key }) => key)).toEqual(['a 0', 'a 1', 'b 0']);
    const rows = rowsOf([at(1, 0), at(2, 10), at(3, 20)], segments);
    expect(rows.map(({ values }) => values.map((one) => one?.mean ?? null))).toEqual([
      [10, null, null],
      [null, null, 5],
      [null, 12, null],
    ]);
  });

  it('has an axis around its values, from zero if they are near it', () => {
    expect(valueTicks([series('a', value(1, 100), value(2, 110))])).toEqual([95, 100, 105, 110, 115]);
    expect(valueTicks([series('a', value(1, 2), value(2, 110))])).toEqual([0, 50, 100, 150]);
    expect(valueTicks([series('a', { ...value(1, 0.5), low: 0.499, high: 0.501 })])).toEqual([
      0.46, 0.48, 0.5, 0.52, 0.54,
    ]);
    expect(valueTicks([series('a')])).toEqual([0, 1]);
    expect(timeDomain([at(1, 0), at(2, 100)])).toEqual([-4, 104]);
  });

  it('has a band around each run, up to the middle between neighbours', () => {
    const bands = bandsOf([at(1, 0), at(2, 50), at(3, 100)]);
    expect(bands.map(({ run }) => run)).toEqual([1, 2, 3]);
    const ends = bands.flatMap(({ from, to }) => [from, to]);
    const [middle, later] = [(25 + 4) / 108, (75 + 4) / 108];
    expect(ends).toEqual([0, middle, middle, later, later, 1].map((end) => expect.closeTo(end)));
    expect(bandsOf([at(7, 5)])).toEqual([{ run: 7, from: 0, to: 1 }]);
  });

  it('names marks where there is room', () => {
    const runs = [at(1, 0), at(2, 50, 'nginx'), at(3, 52, 'kernel'), at(4, 100, 'host')];
    expect(marksOf(runs)).toEqual([
      { run: 2, t: 50, label: '#2' },
      { run: 3, t: 52, label: '' },
      { run: 4, t: 100, label: '#4' },
    ]);
  });
});
