import { act, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import type { RunDetail, SeriesInfo } from '@/api/generated';
import { aReport } from '@/features/reports/report.testdata';
import { controlStreams } from '@/test/ControlledSource';
import { aRun } from '@/test/fixtures';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import RunPage from './live/RunPage';

export const RATE: SeriesInfo = {
  key: 'requests_per_s',
  title: 'Requests per second',
  unit: 'requests/s',
  description: 'Completed responses.',
  stacked: false,
  y_max: null,
  direction: 'more_is_better',
  order: 0,
};
const NO_SERIES = { trial_id: '', arm: '', block: 1, live_seq: 0, series: [], actions: [] };
export const ENDED = '2026-01-02T03:05:15Z';
/** Show the page of run 1, with a stream that the test speaks through. */
export function showRunPage(run: RunDetail = aRun(), more: Record<string, unknown> = {}, query = '') {
  const streams = controlStreams();
  const series = Object.fromEntries(run.trials.map(({ id }) => [`GET /trials/${id}/series`, NO_SERIES]));
  const server = serve({
    'GET /runs/run-1': run,
    'GET /runs/run-1/notes': [],
    'GET /runs/run-1/report': aReport(),
    'GET /metrics/catalogue': [RATE],
    ...series,
    ...more,
  });
  const page = show(<RunPage />, { path: '/runs/:runId', at: `/runs/run-1${query}` });
  const send = async (name: string, data: unknown) => {
    await waitFor(() => expect(streams.opened).toHaveLength(1));
    act(() => streams.latest().send(name, data));
  };
  return { ...page, ...streams, server, send };
}
