import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tickAlong, useNow } from './useNow';

describe('useNow', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

  it('ticks every interval', () => {
    const { result } = renderHook(() => useNow(1000));
    const shown = [1, 2, 3].map(() => {
      pass(1000);
      return result.current;
    });
    expect(shown).toEqual([1000, 2000, 3000]);
  });

  it('ticks along with what is drawn, and not once more shortly before or after', () => {
    let drawn = 0;
    const { result } = renderHook(() => {
      drawn += 1;
      return useNow(1000);
    });
    pass(700);
    for (const late of [0, 20, -20]) {
      act(tickAlong);
      const before = drawn;
      expect(result.current).toBe(Date.now());
      pass(1000 + late);
      expect(drawn).toBe(before);
    }
    const before = drawn;
    pass(300); // nothing else is drawn any more
    expect(drawn).toBe(before + 1);
  });

  it('does not tick faster because much is drawn', () => {
    const { result } = renderHook(() => useNow(1000));
    pass(400);
    act(tickAlong);
    expect(result.current).toBe(0);
  });

  it('stands still while it is not needed', () => {
    const { result } = renderHook(() => useNow(1000, false));
    pass(5000);
    act(tickAlong);
    expect(result.current).toBe(0);
  });
});
