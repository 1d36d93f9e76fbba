import { describe, expect, it } from 'vitest';
import { parseRange, rangeBetween, rangeText } from './timeRange';

const WHOLE = [-2, 10] as const;

describe('A range of time', () => {
  it('lies between two instants in any order, in tenths of a second', () => {
    expect(rangeBetween(7.4999, 3.04, WHOLE)).toEqual([3, 7.5]);
  });

  it('stays within the whole, and is none where it is the whole', () => {
    expect(rangeBetween(-9, 4, WHOLE)).toEqual([-2, 4]);
    expect(rangeBetween(-9, 99, WHOLE)).toBeNull();
  });

  it('is never too short to show something', () => {
    expect(rangeBetween(4, 4, WHOLE)).toEqual([4, 4.5]);
    expect(rangeBetween(10, 10, WHOLE)).toEqual([9.5, 10]);
  });

  it('is read from an address as it was written there', () => {
    for (const range of [[-2, 4] as const, [3, 7.5] as const])
      expect(parseRange(rangeText(range), WHOLE)).toEqual(range);
  });

  it.each(['', '3', '3..', '7..3', '20..30', '-9..-3', '1e3..2e9', 'a..b', '..'])(
    'is not read from %j',
    (text) => {
      expect(parseRange(text, WHOLE)).toBeNull();
    },
  );
});
