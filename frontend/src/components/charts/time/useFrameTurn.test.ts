import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFrameTurn } from './useFrameTurn';

/** Serve one waiting chart, as the browser's next frame does. */
let serve: () => void = () => {};

describe('useFrameTurn', () => {
  beforeEach(() => {
    vi.spyOn(window, 'requestAnimationFrame').mockImplementation((callback) => {
      serve = () => callback(0);
      return 1;
    });
    return () => vi.restoreAllMocks();
  });

  const give = (value: number, waits?: boolean) => ({ value, waits });
  const turns = () =>
    renderHook(({ value, waits }) => useFrameTurn(value, waits), { initialProps: give(1, false) });

  it('holds a newer value until it is its turn', () => {
    const { result, rerender } = turns();
    rerender(give(2));
    expect(result.current).toBe(1);
    act(() => serve());
    expect(result.current).toBe(2);
  });

  it('gives the newest value that there is by then', () => {
    const { result, rerender } = turns();
    rerender(give(2));
    rerender(give(3));
    act(() => serve());
    expect(result.current).toBe(3);
  });

  it('gives nothing newer while the chart waits, and the newest soon afterwards', () => {
    const { result, rerender } = turns();
    const frames = vi.mocked(window.requestAnimationFrame);
    rerender(give(2, true));
    rerender(give(3, true));
    expect(frames).not.toHaveBeenCalled();
    expect(result.current).toBe(1);
    rerender(give(3));
    act(() => serve());
    expect(result.current).toBe(3);
  });
});
