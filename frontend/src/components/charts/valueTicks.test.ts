import { describe, expect, it } from 'vitest';
import { valueTicks } from './axes';

const KIB = 1024;

describe('The ticks of values', () => {
  it.each([
    [44, 'connections', [0, 10, 20, 30, 40, 50]],
    [105, 'connections', [0, 50, 100, 150]],
    [1.8, 'ms', [0, 0.5, 1, 1.5, 2]],
    [100, '%', [0, 20, 40, 60, 80, 100]],
    [3.3 * KIB, 'bytes', [0, KIB, 2 * KIB, 3 * KIB, 4 * KIB]],
  ])('are round up to %s %s', (highest, unit, ticks) => {
    expect(valueTicks(highest, unit)).toEqual(ticks);
  });

  it('do not magnify what is as good as nothing', () => {
    expect(valueTicks(0.0095, '%').at(-1)).toBe(1);
    expect(valueTicks(0, 'ms').at(-1)).toBe(0.01);
  });

  it('stay where they are for the number at which they end', () => {
    for (const highest of [0.7, 3, 11, 26, 51, 101, 999, 12_345]) {
      const ticks = valueTicks(highest, 'requests/s');
      expect(valueTicks(ticks.at(-1) ?? 0, 'requests/s')).toEqual(ticks);
    }
  });
});
