import { notifyManager, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ActionMark, getRunQueryKey, getTrialSeriesQueryKey, type RunDetail } from '@/api/generated';
import { meKey } from '@/api/session';
import { type TrialSeriesData, trialSeriesKey } from '@/api/trialSeries';
import { mergeActions } from '@/domain/actions';
import { type LivePoint, mergePoints } from '@/domain/series';
import { followStream, type StreamState } from '@/lib/sse';
import { tickAlong } from '@/lib/useNow';
import { type CurveEvent, curvesKey, type LiveCurve, withCurveEvent } from './curves';
import { type LiveSearch, type SearchEvent, searchesKey, withSearchEvent } from './searches';
import { noteDelay, noteNews } from './serverClock';

export interface AgentNote {
  trial_id: string;
  arm?: string;
  block?: number;
  severity: 'info' | 'warning' | 'error';
  code: string;
  message: string;
}

const agentNotesKey = (runId: string) => ['agent-notes', runId] as const;

/** Notes of agents on the run. Only the live stream brings them; it repeats those of the current trial on opening. */
export function useAgentNotes(runId: string) {
  return useQuery<AgentNote[]>({
    queryKey: agentNotesKey(runId),
    queryFn: ({ client }) => client.getQueryData<AgentNote[]>(agentNotesKey(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** `notes` with one more, unless it was told before. */
export function withNote(notes: readonly AgentNote[], note: AgentNote): AgentNote[] {
  const told = notes.some(
    (known) => known.trial_id === note.trial_id && known.code === note.code && known.message === note.message,
  );
  return told ? [...notes] : [...notes, note];
}

interface PointsEvent {
  trial_id: string;
  points: LivePoint[];
  /** When the newest reading was taken, by the server's clock; not said of what is repeated. */
  read_at_us?: number;
}

/** Events that have arrived since the page was last drawn. */
export interface News {
  /** The run as it is now. */
  run?: Partial<RunDetail>;
  /** By trial, in the order of arrival. */
  points: ReadonlyMap<string, LivePoint[]>;
  /** When the newest reading was taken, if any came as it was measured. */
  readAtUs?: number;
}

/** A page redraws at most this often, however fast news arrive. */
export const FLUSH_INTERVAL_MS = 250;
/** Readings of several hosts of one instant arrive within this time, and are drawn at once. */
export const GATHERING_MS = 40;

/**
 * Collects what a stream brings outside React and hands it over soon, but at most four times a second: a trial begins
 * with a dozen events. No point is dropped: what arrives while a page is hidden goes out with the next flush.
 */
export class LiveBuffer {
  private run: Partial<RunDetail> | undefined;
  private points = new Map<string, LivePoint[]>();
  private readAtUs: number | undefined;
  private flushedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly deliver: (news: News) => void) {}

  pushPoints({ trial_id, points, read_at_us }: PointsEvent): void {
    const queue = this.points.get(trial_id);
    if (queue) queue.push(...points);
    else this.points.set(trial_id, [...points]);
    this.readAtUs = read_at_us ?? this.readAtUs;
    this.flushSoon();
  }

  /** Each tells the whole run, so that the last one says it all. */
  pushRun(run: Partial<RunDetail>): void {
    this.run = run;
    this.flushSoon();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushedAt = Date.now();
    const { run, points, readAtUs } = this;
    this.run = undefined;
    this.points = new Map();
    this.readAtUs = undefined;
    if (run || points.size > 0) this.deliver({ run, points, readAtUs });
  }

  private flushSoon(): void {
    const pause = Math.max(GATHERING_MS, this.flushedAt + FLUSH_INTERVAL_MS - Date.now());
    this.timer ??= setTimeout(() => this.flush(), pause);
  }
}

const FINAL_TRIALS = new Set(['completed', 'failed', 'cancelled', 'lost', 'skipped']);

/** The stream tells every viewer the same, so what only this viewer may do stays as it was fetched. */
export function applyRun(old: RunDetail | undefined, event: Partial<RunDetail>): RunDetail {
  return { ...(event as RunDetail), may_change: event.may_change ?? old?.may_change ?? false };
}

function takeRun(client: QueryClient, runId: string, event: Partial<RunDetail>): void {
  const key = getRunQueryKey({ path: { run_id: runId } });
  const old = client.getQueryData<RunDetail>(key);
  const run = applyRun(old, event);
  client.setQueryData(key, run);
  const before = new Map(old?.trials.map((trial) => [trial.id, trial.state]));
  for (const { id, state } of run.trials) {
    // What came live may have holes; what is stored has none.
    const ended = FINAL_TRIALS.has(state) && before.has(id) && before.get(id) !== state;
    if (ended)
      void client.invalidateQueries({ queryKey: getTrialSeriesQueryKey({ path: { trial_id: id } }) });
  }
}

function takePoints(client: QueryClient, trialId: string, points: LivePoint[]): void {
  client.setQueryData<TrialSeriesData>(trialSeriesKey(trialId), (old) => ({
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
    noteNews(client, runId);
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
  client.setQueryData<TrialSeriesData>(trialSeriesKey(trial_id), (old) => ({
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
      onRefused: () => void client.invalidateQueries({ queryKey: meKey }),
      on: {
        snapshot: (data) => buffer.pushRun(data as RunDetail),
        run: (data) => buffer.pushRun(data as RunDetail),
        points: (data) => buffer.pushPoints(data as PointsEvent),
        action: (data) => takeAction(client, data as ActionEvent),
        search: (data) =>
          client.setQueryData<LiveSearch[]>(searchesKey(runId), (old) =>
            withSearchEvent(old ?? [], data as SearchEvent),
          ),
        curve: (data) =>
          client.setQueryData<LiveCurve[]>(curvesKey(runId), (old) =>
            withCurveEvent(old ?? [], data as CurveEvent),
          ),
        note: (data) =>
          client.setQueryData<AgentNote[]>(agentNotesKey(runId), (old) =>
            withNote(old ?? [], data as AgentNote),
          ),
        over: () => {
          stop();
          buffer.flush();
          setState('over');
          void client.invalidateQueries({ queryKey: getRunQueryKey({ path: { run_id: runId } }) });
        },
        deleted: () => {
          stop();
          setState('over');
          // The page then says that there is no such run, instead of showing the last that was heard of it.
          void client.resetQueries({ queryKey: getRunQueryKey({ path: { run_id: runId } }) });
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
