import { notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ActionMark, RunDetail } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import type { TrialSeriesData } from '@/api/trialSeries';
import { mergeActions } from '@/domain/actions';
import { type LivePoint, mergePoints } from '@/domain/series';
import { followStream, type StreamState } from '@/lib/sse';
import { tickAlong } from '@/lib/useNow';
import { LiveBuffer, type News, type PointsEvent } from '../liveBuffer';
import { type AgentNote, withNote } from './useAgentNotes';
import { noteDelay } from './useReadingDelay';

const FINAL_TRIALS = new Set(['completed', 'failed', 'cancelled', 'lost', 'skipped']);

/** The stream tells every viewer the same, so what only this viewer may do stays as it was fetched. */
export function applyRun(old: RunDetail | undefined, event: Partial<RunDetail>): RunDetail {
  return { ...(event as RunDetail), may_change: event.may_change ?? old?.may_change ?? false };
}

function takeRun(client: QueryClient, runId: string, event: Partial<RunDetail>): void {
  const key = queryKeys.run(runId);
  const old = client.getQueryData<RunDetail>(key);
  const run = applyRun(old, event);
  client.setQueryData(key, run);
  const before = new Map(old?.trials.map((trial) => [trial.id, trial.state]));
  for (const { id, state } of run.trials) {
    // What came live may have holes; what is stored has none.
    const ended = FINAL_TRIALS.has(state) && before.has(id) && before.get(id) !== state;
    if (ended) void client.invalidateQueries({ queryKey: queryKeys.trialSeries(id) });
  }
}

function takePoints(client: QueryClient, trialId: string, points: LivePoint[]): void {
  client.setQueryData<TrialSeriesData>(queryKeys.trialSeries(trialId), (old) => ({
    trial_id: trialId,
    actions: old?.actions ?? [],
    series: mergePoints(old?.series ?? [], points),
  }));
}

/** All at once, so that the page is drawn once. */
function takeNews(client: QueryClient, runId: string, { run, points, readAtUs }: News): void {
  notifyManager.batch(() => {
    if (run) takeRun(client, runId, run);
    for (const [trialId, some] of points) takePoints(client, trialId, some);
    notifyManager.schedule(tickAlong);
  });
  if (readAtUs !== undefined) noteDelay(client, runId, readAtUs);
}

interface ActionEvent extends ActionMark {
  trial_id: string;
  arm: string;
  block: number;
}

function takeAction(client: QueryClient, { trial_id, arm: _arm, block: _block, ...mark }: ActionEvent): void {
  client.setQueryData<TrialSeriesData>(queryKeys.trialSeries(trial_id), (old) => ({
    trial_id,
    series: old?.series ?? [],
    actions: mergeActions(old?.actions ?? [], [mark]),
  }));
}

/**
 * Follow a run while it is not over: its events update the query cache, from which the whole page is drawn.
 * Returns the state of the connection.
 */
export function useRunStream(runId: string, follow: boolean): StreamState | 'over' {
  const client = useQueryClient();
  const [state, setState] = useState<StreamState | 'over'>('connecting');

  useEffect(() => {
    if (!follow) return;
    const buffer = new LiveBuffer((news) => takeNews(client, runId, news));
    const stop = followStream({
      url: `/api/v1/runs/${encodeURIComponent(runId)}/live`,
      onState: setState,
      // Perhaps the session has ended: the shell then asks to sign in again.
      onRefused: () => void client.invalidateQueries({ queryKey: queryKeys.me }),
      on: {
        snapshot: (data) => buffer.pushRun(data as RunDetail),
        run: (data) => buffer.pushRun(data as RunDetail),
        points: (data) => buffer.pushPoints(data as PointsEvent),
        action: (data) => takeAction(client, data as ActionEvent),
        note: (data) =>
          client.setQueryData<AgentNote[]>(queryKeys.agentNotes(runId), (old) =>
            withNote(old ?? [], data as AgentNote),
          ),
        over: () => {
          stop();
          buffer.flush();
          setState('over');
          void client.invalidateQueries({ queryKey: queryKeys.run(runId) });
        },
      },
    });
    return () => {
      stop();
      buffer.flush();
    };
  }, [client, runId, follow]);

  return follow ? state : 'over';
}
