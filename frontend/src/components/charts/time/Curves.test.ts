import { describe, expect, it } from 'vitest';
import { areaPath, linePath, stackOf } from './Curves';

const places = (...ys: (number | null)[]) => ys.map((y, x) => ({ x, y }));

describe('a line', () => {
  it('goes from place to place', () => {
    expect(linePath(places(5, 6, 7.5))).toBe('M0 5L1 6L2 7.5');
    expect(linePath([])).toBe('');
  });

  it('leaves gaps out, and shows what stands alone', () => {
    expect(linePath(places(null, 5, 6, null, 7, null))).toBe('M1 5L2 6M3 7h2');
  });
});

describe('an area', () => {
  it('goes along one edge and back along the other', () => {
    expect(areaPath(places(5, 6), places(9, 8))).toBe('M0 5L1 6L1 8L0 9Z');
  });

  it('is cut at gaps', () => {
    expect(areaPath(places(5, 6, null, 4, 3), places(9, 9, null, 9, 9))).toBe(
      'M0 5L1 6L1 9L0 9ZM3 4L4 3L4 9L3 9Z',
    );
  });
});

describe('The edges of a stack', () => {
  it('go up from zero, part by part', () => {
    expect(stackOf([{ t: 0, values: [1, 2, 4] }])).toEqual([[0, 1, 3, 7]]);
  });

  it('take a part without a reading for nothing, and a row without any for a gap', () => {
    const rows = [
      { t: 0, values: [1, null] },
      { t: 1, values: [null, null] },
    ];
    expect(stackOf(rows)).toEqual([
      [0, 1, 1],
      [null, null, null],
    ]);
  });
});
