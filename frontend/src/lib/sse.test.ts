import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ControlledSource, controlStreams } from '@/test/ControlledSource';
import { followStream } from './sse';

describe('followStream', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function follow() {
    const { opened, latest } = controlStreams();
    const states: string[] = [];
    const received: unknown[] = [];
    const stop = followStream({
      url: '/live',
      on: { points: (data) => received.push(data) },
      onState: (state) => states.push(state),
    });
    return { states, received, stop, opened, latest };
  }

  it('hands over parsed events', () => {
    const { received, latest } = follow();
    latest().send('points', { a: 1 });
    expect(received).toEqual([{ a: 1 }]);
  });

  it('leaves a dropped connection to the browser, which knows the last event id', () => {
    const { states, opened, latest } = follow();
    latest().onopen?.();
    latest().fail(ControlledSource.CONNECTING);
    vi.advanceTimersByTime(10_000);
    expect(opened).toHaveLength(1);
    latest().onopen?.();
    expect(states).toEqual(['connecting', 'open', 'lost', 'open']);
  });

  it('opens a new one where the browser gave up, with growing pauses', () => {
    const { opened, latest } = follow();
    latest().fail(ControlledSource.CLOSED);
    vi.advanceTimersByTime(1000);
    expect(opened).toHaveLength(2);
    latest().fail(ControlledSource.CLOSED);
    vi.advanceTimersByTime(1000);
    expect(opened).toHaveLength(2);
    vi.advanceTimersByTime(1000);
    expect(opened).toHaveLength(3);
  });

  it('replaces a connection that has fallen silent, and only such a one', () => {
    const { states, opened, latest } = follow();
    latest().onopen?.();
    for (let second = 0; second < 60; second += 1) {
      vi.advanceTimersByTime(1000);
      latest().send('points', {});
    }
    expect(opened).toHaveLength(1);
    const silent = latest();
    vi.advanceTimersByTime(30_000);
    expect(opened).toHaveLength(2);
    expect(silent.readyState).toBe(ControlledSource.CLOSED);
    expect(states.at(-1)).toBe('lost');
  });

  it('does not come back after it was stopped', () => {
    const { stop, opened, latest } = follow();
    latest().fail(ControlledSource.CLOSED);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(opened).toHaveLength(1);
  });
});
