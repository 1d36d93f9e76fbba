import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getRunQueryKey, type RunDetail } from '@/api/generated';
import { meKey } from '@/api/session';
import { type TrialSeriesData, trialSeriesKey, trialSeriesQuery } from '@/api/trialSeries';
import type { LivePoint } from '@/domain/series';
import { ControlledSource, controlStreams } from '@/test/ControlledSource';
import { aRun, aTrial } from '@/test/fixtures';
import { serve } from '@/test/server';
import { useRunStream } from './useRunStream';

const SERIES = { key: 'requests_per_s', label: 'wrk', unit: 'requests/s' };
const point = (t_s: number, value: number): LivePoint => ({ ...SERIES, t_s, value });
const stored = (points: [number, number][]) => ({
  trial_id: 'trial-2',
  arm: 'reuseport',
  block: 1,
  live_seq: 1,
  series: [{ ...SERIES, points }],
  actions: [],
});

/** Follow run 1 as its page does: what it knew, and what it has learned since. */
function follow() {
  const { opened, latest } = controlStreams();
  const client = new QueryClient();
  client.setQueryData(getRunQueryKey({ path: { run_id: 'run-1' } }), aRun());
  const { result, rerender, unmount } = renderHook(({ on }: { on: boolean }) => useRunStream('run-1', on), {
    initialProps: { on: true },
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  return {
    opened,
    latest,
    unmount,
    client,
    end: () => rerender({ on: false }),
    state: () => result.current,
    run: () => client.getQueryData<RunDetail>(getRunQueryKey({ path: { run_id: 'run-1' } })),
    points: (trial = 'trial-2') =>
      client.getQueryData<TrialSeriesData>(trialSeriesKey(trial))?.series[0]?.points,
    send: (name: string, data: unknown) => act(() => latest().send(name, data)),
    /** News wait for the next time the page is drawn. */
    drawn: () => act(() => vi.advanceTimersByTimeAsync(1000)),
    connect: () => act(() => latest().onopen?.()),
    fail: (readyState: number) => act(() => latest().fail(readyState)),
  };
}

describe('useRunStream', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('keeps the run current, and what this viewer may do', async () => {
    const { latest, state, run, send, connect, drawn } = follow();
    expect(latest().url).toBe('/api/v1/runs/run-1/live');
    expect(state()).toBe('connecting');
    connect();
    expect(state()).toBe('open');
    const { may_change: _, ...event } = aRun({ state: 'running', live_seq: 12 });
    send('run', event);
    await drawn();
    expect(run()).toMatchObject({ live_seq: 12, may_change: true });
  });

  it('adds points as they arrive, each once when a resumed stream repeats them', async () => {
    const { points, send, drawn, fail, opened, connect } = follow();
    send('points', { trial_id: 'trial-2', points: [point(0, 10), point(1, 11)] });
    await drawn();
    fail(ControlledSource.CONNECTING);
    connect();
    expect(opened).toHaveLength(1); // the browser resumes from the last id by itself
    send('points', { trial_id: 'trial-2', points: [point(1, 11), point(2, 12)] });
    await drawn();
    expect(points()).toEqual([
      [0, 10],
      [1, 11],
      [2, 12],
    ]);
  });

  it('puts what comes late into its gap', async () => {
    const { points, send, drawn } = follow();
    send('points', { trial_id: 'trial-2', points: [point(0, 10), point(2, 12)] });
    await drawn();
    send('points', { trial_id: 'trial-2', points: [point(1, 11)] });
    await drawn();
    expect(points()?.map(([t]) => t)).toEqual([0, 1, 2]);
  });

  it('neither loses live points to the stored ones, nor stored ones to them', async () => {
    serve({
      'GET /trials/trial-2/series': stored([
        [0, 10],
        [1, 11],
      ]),
    });
    const { client, points, send, drawn } = follow();
    send('points', { trial_id: 'trial-2', points: [point(2, 12)] });
    await drawn();
    await client.fetchQuery({ ...trialSeriesQuery('trial-2'), staleTime: 0 });
    expect(points()?.map(([t]) => t)).toEqual([0, 1, 2]);
  });

  it('reads a trial from the database once it has ended, as what came live may have holes', async () => {
    const { client, send, run, drawn } = follow();
    client.setQueryData(trialSeriesKey('trial-1'), stored([]));
    client.setQueryData(trialSeriesKey('trial-2'), stored([[0, 10]]));
    const isStale = (trial: string) => client.getQueryState(trialSeriesKey(trial))?.isInvalidated;
    send('run', aRun());
    await drawn();
    expect(isStale('trial-2')).toBe(false);
    const trials = aRun().trials.map((trial) =>
      trial.id === 'trial-2' ? aTrial(1, { state: 'completed' }) : trial,
    );
    send('snapshot', aRun({ trials }));
    await drawn();
    expect(isStale('trial-2')).toBe(true);
    expect(isStale('trial-1')).toBe(false);
    expect(run()?.trials[1]?.state).toBe('completed');
  });

  it('asks again with growing pauses where the stream is refused, and starts afresh from the snapshot', async () => {
    const { opened, state, run, send, fail, connect, drawn } = follow();
    fail(ControlledSource.CLOSED);
    expect(state()).toBe('lost');
    await act(() => vi.advanceTimersByTimeAsync(1000));
    fail(ControlledSource.CLOSED);
    await act(() => vi.advanceTimersByTimeAsync(1999));
    expect(opened).toHaveLength(2);
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(opened).toHaveLength(3);
    connect();
    send('snapshot', aRun({ live_seq: 40 }));
    await drawn();
    expect(state()).toBe('open');
    expect(run()?.live_seq).toBe(40);
  });

  it('asks who is signed in where the stream is refused, as the session may have ended', () => {
    const { client, fail } = follow();
    client.setQueryData(meKey, null);
    fail(ControlledSource.CONNECTING);
    expect(client.getQueryState(meKey)?.isInvalidated).toBe(false);
    fail(ControlledSource.CLOSED);
    expect(client.getQueryState(meKey)?.isInvalidated).toBe(true);
  });

  it('ends with the run, and asks for it as it was stored', () => {
    const { client, opened, state, latest, send, run } = follow();
    send('run', aRun({ state: 'completed', finished_at: '2026-01-02T03:05:00Z' }));
    send('over', {});
    expect(state()).toBe('over');
    expect(latest().readyState).toBe(ControlledSource.CLOSED);
    expect(opened).toHaveLength(1);
    expect(run()?.state).toBe('completed');
    expect(client.getQueryState(getRunQueryKey({ path: { run_id: 'run-1' } }))?.isInvalidated).toBe(true);
  });

  it('forgets a run that was deleted, so that the page asks for it and says that it is gone', () => {
    const { latest, state, send, run } = follow();
    send('run', aRun({ state: 'cancelled', finished_at: '2026-01-02T03:05:00Z' }));
    send('deleted', {});
    expect(state()).toBe('over');
    expect(latest().readyState).toBe(ControlledSource.CLOSED);
    expect(run()).toBeUndefined();
  });

  it('listens no longer than it is followed, and hands over what still waits', () => {
    const { latest, points, send, end, state } = follow();
    send('points', { trial_id: 'trial-2', points: [point(0, 10)] });
    end();
    expect(latest().readyState).toBe(ControlledSource.CLOSED);
    expect(points()).toEqual([[0, 10]]);
    expect(state()).toBe('over');
  });
});
