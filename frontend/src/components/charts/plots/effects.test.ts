import { describe, expect, it } from 'vitest';
import { effectAxis } from './effects';

const LIKELY = { estimate: 1.25, low: 1.1, high: 1.4 };

describe('The axis of effects', () => {
  it('has room for no change, the margin and all intervals', () => {
    const { place } = effectAxis([LIKELY], { scale: 'ratio', margin: 0.02, unit: 'requests/s' });
    for (const value of [1 / 1.02, 1, 1.1, 1.4]) {
      expect(place(value)).toBeGreaterThanOrEqual(0);
      expect(place(value)).toBeLessThanOrEqual(100);
    }
    expect(place(1.4)).toBeGreaterThan(place(1.1));
  });

  it('is as far to half as to twice', () => {
    const { place } = effectAxis([{ estimate: 2, low: 0.5, high: 8 }], {
      scale: 'ratio',
      margin: 0.02,
      unit: '',
    });
    expect(place(2) - place(1)).toBeCloseTo(place(1) - place(0.5));
  });

  it('cuts off what reaches absurdly far', () => {
    const { place } = effectAxis([{ estimate: 1.5, low: 0.02, high: 90 }], {
      scale: 'ratio',
      margin: 0.02,
      unit: '',
    });
    expect(place(0.02)).toBeLessThan(0);
    expect(place(90)).toBeGreaterThan(100);
  });

  it('has signs on differences, in percentage points where those are of shares', () => {
    const { ticks } = effectAxis([{ estimate: 3, low: 1, high: 5 }], {
      scale: 'difference',
      margin: 1,
      unit: '%',
    });
    expect(ticks.map(({ text }) => text)).toEqual(['−2', '0', '+2', '+4', '+6']);
  });

  it('leaves units that are words to the title', () => {
    const effects = [{ estimate: -999, low: -1000, high: -998 }];
    const { ticks } = effectAxis(effects, { scale: 'difference', margin: 1, unit: 'connections' });
    expect(ticks.map(({ text }) => text)).toEqual(['−1,000', '−500', '0', '+500']);
    const times = effectAxis(effects, { scale: 'difference', margin: 1, unit: 'ms' });
    expect(times.ticks.map(({ text }) => text)).toContain('−500\u00a0ms');
  });

  it('begins at zero for values', () => {
    const { ticks } = effectAxis([{ estimate: 900, low: 800, high: 1000 }], {
      scale: 'value',
      margin: 0,
      unit: 'requests/s',
    });
    expect(ticks[0]).toEqual({ at: 0, text: '0\u00a0req/s' });
  });
});
