import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, useTurn } from './turns';

/** Serve waiting charts, as the browser's next frame does. */
let serve: () => void = () => {};

describe('useTurn', () => {
  beforeEach(() => {
    vi.spyOn(window, 'requestAnimationFrame').mockImplementation((callback) => {
      serve = () => callback(0);
      return 1;
    });
    return () => vi.restoreAllMocks();
  });

  const frames = () => vi.mocked(window.requestAnimationFrame);
  const chart = (feed: Feed<number>) =>
    renderHook((waits: boolean) => useTurn(feed, waits), { initialProps: false });

  it('holds a newer value until it is its turn', () => {
    const feed = new Feed(1);
    const { result } = chart(feed);
    act(() => feed.give(2));
    expect(result.current).toBe(1);
    act(() => serve());
    expect(result.current).toBe(2);
  });

  it('gives the newest value that there is by then', () => {
    const feed = new Feed(1);
    const { result } = chart(feed);
    act(() => feed.give(2));
    act(() => feed.give(3));
    act(() => serve());
    expect(result.current).toBe(3);
  });

  it('gives nothing newer while the chart waits, and the newest soon afterwards', () => {
    const feed = new Feed(1);
    const { result, rerender } = chart(feed);
    rerender(true);
    act(() => feed.give(2));
    act(() => feed.give(3));
    expect(frames()).not.toHaveBeenCalled();
    expect(result.current).toBe(1);
    rerender(false);
    act(() => serve());
    expect(result.current).toBe(3);
  });

  it.each([
    { each: 1, frames: [12, 8] },
    { each: 2, frames: [8, 8, 4] },
    { each: 0.1, frames: [20] },
  ])('draws as many charts a frame as there is time for, $each ms each', (given) => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const feed = new Feed(1);
    const charts = Array.from({ length: 20 }, () =>
      renderHook(() => {
        const value = useTurn(feed);
        if (value === 2) clock += given.each;
        return value;
      }),
    );
    act(() => feed.give(2));
    const drawn = () => charts.filter(({ result }) => result.current === 2).length;
    const served = given.frames.map(() => {
      const before = drawn();
      act(() => serve());
      return drawn() - before;
    });
    expect(served).toEqual(given.frames);
    expect(frames()).toHaveBeenCalledTimes(given.frames.length);
  });

  it('draws a chart that has gone no more', () => {
    const feed = new Feed(1);
    const { result, unmount } = chart(feed);
    act(() => feed.give(2));
    unmount();
    act(() => serve());
    expect(result.current).toBe(1);
  });
});
