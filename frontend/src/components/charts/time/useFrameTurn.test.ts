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

  it('holds a newer value of the same until it is its turn', () => {
    const { result, rerender } = renderHook(({ value }) => useFrameTurn(value, 'trial'), {
      initialProps: { value: 1 },
    });
    act(() => serve());
    rerender({ value: 2 });
    expect(result.current).toBe(1);
    act(() => serve());
    expect(result.current).toBe(2);
  });

  it('gives a value of something else at once', () => {
    const { result, rerender } = renderHook(({ value, of }) => useFrameTurn(value, of), {
      initialProps: { value: 1, of: 'one' },
    });
    act(() => serve());
    rerender({ value: 2, of: 'other' });
    expect(result.current).toBe(2);
  });
});
