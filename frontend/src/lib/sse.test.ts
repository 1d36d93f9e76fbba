import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followStream } from './sse';

/** A stream under the test's control; jsdom has none. */
class ControlledSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly CLOSED = 2;
  static opened: ControlledSource[] = [];
  readyState = 1;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    super();
    ControlledSource.opened.push(this);
  }
  close() {
    this.readyState = ControlledSource.CLOSED;
  }
  fail(readyState: number) {
    this.readyState = readyState;
    this.onerror?.();
  }
  send(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

describe('followStream', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    ControlledSource.opened = [];
    vi.stubGlobal('EventSource', ControlledSource);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function follow() {
    const states: string[] = [];
    const received: unknown[] = [];
    const stop = followStream({
      url: '/live',
      on: { points: (data) => received.push(data) },
      onState: (state) => states.push(state),
    });
    return { states, received, stop };
  }
  const latest = () => ControlledSource.opened.at(-1) as ControlledSource;

  it('hands over parsed events', () => {
    const { received } = follow();
    latest().send('points', { a: 1 });
    expect(received).toEqual([{ a: 1 }]);
  });

  it('leaves a dropped connection to the browser, which knows the last event id', () => {
    const { states } = follow();
    latest().onopen?.();
    latest().fail(ControlledSource.CONNECTING);
    vi.advanceTimersByTime(10_000);
    expect(ControlledSource.opened).toHaveLength(1);
    latest().onopen?.();
    expect(states).toEqual(['connecting', 'open', 'lost', 'open']);
  });

  it('opens a new one where the browser gave up, with growing pauses', () => {
    follow();
    latest().fail(ControlledSource.CLOSED);
    vi.advanceTimersByTime(1000);
    expect(ControlledSource.opened).toHaveLength(2);
    latest().fail(ControlledSource.CLOSED);
    vi.advanceTimersByTime(1000);
    expect(ControlledSource.opened).toHaveLength(2);
    vi.advanceTimersByTime(1000);
    expect(ControlledSource.opened).toHaveLength(3);
  });

  it('replaces a connection that has fallen silent, and only such a one', () => {
    const { states } = follow();
    latest().onopen?.();
    for (let second = 0; second < 60; second += 1) {
      vi.advanceTimersByTime(1000);
      latest().send('points', {});
    }
    expect(ControlledSource.opened).toHaveLength(1);
    const silent = latest();
    vi.advanceTimersByTime(30_000);
    expect(ControlledSource.opened).toHaveLength(2);
    expect(silent.readyState).toBe(ControlledSource.CLOSED);
    expect(states.at(-1)).toBe('lost');
  });

  it('does not come back after it was stopped', () => {
    const { stop } = follow();
    latest().fail(ControlledSource.CLOSED);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(ControlledSource.opened).toHaveLength(1);
  });
});
