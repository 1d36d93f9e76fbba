import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useOnScreen } from './useOnScreen';

describe('useOnScreen', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('is true until the browser says otherwise, and follows it', () => {
    let tell: (entries: { isIntersecting: boolean }[]) => void = () => {};
    const disconnect = vi.fn();
    class Observer {
      constructor(callback: typeof tell) {
        tell = callback;
      }
      observe() {}
      disconnect = disconnect;
    }
    vi.stubGlobal('IntersectionObserver', Observer);
    const ref = { current: document.createElement('div') };
    const { result, unmount } = renderHook(() => useOnScreen(ref));
    expect(result.current).toBe(true);
    act(() => tell([{ isIntersecting: false }]));
    expect(result.current).toBe(false);
    act(() => tell([{ isIntersecting: false }, { isIntersecting: true }]));
    expect(result.current).toBe(true);
    unmount();
    expect(disconnect).toHaveBeenCalled();
  });

  it('is true where the browser cannot tell', () => {
    vi.stubGlobal('IntersectionObserver', undefined);
    Reflect.deleteProperty(window, 'IntersectionObserver');
    const ref = { current: document.createElement('div') };
    expect(renderHook(() => useOnScreen(ref)).result.current).toBe(true);
  });
});
