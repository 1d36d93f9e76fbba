import { queryOptions, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { mergeActions } from '@/domain/actions';
import { mergeSeries, type Part, type Series, withDetail } from '@/domain/series';
import { unwrap } from './client';
import {
  type ActionMark,
  getSharedSeries,
  getSharedSeriesQueryKey,
  getTrialSeries,
  getTrialSeriesQueryKey,
} from './generated';
import { IN_A_FILE, useShareToken } from './shareToken';

interface Asked {
  points: number;
  from?: number;
  to?: number;
  keys?: string[];
}

const ofTrial = (trialId: string, query: Asked) => ({ path: { trial_id: trialId }, query });
const ofLink = (token: string, trialId: string, query: Asked) => ({
  path: { token, trial_id: trialId },
  query,
});

/** Series of a trial that has ended, or of what a share link shows of it: they never change. */
function seriesQuery(token: string | null, trialId: string, asked: Asked) {
  const [own, shared] = [ofTrial(trialId, asked), ofLink(token ?? '', trialId, asked)];
  return queryOptions({
    queryKey: token === null ? getTrialSeriesQueryKey(own) : getSharedSeriesQueryKey(shared),
    queryFn: async ({ signal }): Promise<TrialSeriesData> =>
      token === null
        ? unwrap(getTrialSeries({ ...own, signal, throwOnError: true }))
        : unwrap(getSharedSeries({ ...shared, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

/** Whether readings were left out: a line that has all of them is shorter than what was asked for. */
const isThinned = (data: TrialSeriesData | undefined) =>
  data?.series.some((line) => line.points.length >= SERIES_POINTS / 2) ?? false;

function useDetail(
  trialIds: readonly string[],
  whole: readonly (TrialSeriesData | undefined)[],
  part: Part | null,
) {
  const token = useShareToken();
  const isAsked = (index: number) => token !== IN_A_FILE && isThinned(whole[index]);
  const [from, to] = part ?? [];
  const detail = { points: SERIES_POINTS, from, to };
  return useQueries({
    queries: part
      ? trialIds.map((id, at) => ({ ...seriesQuery(token, id, detail), enabled: isAsked(at) }))
      : [],
    combine: (results) => results.map((result) => result.data as TrialSeriesData | undefined),
  });
}

/**
 * The charts' data of several trials, in their order; `undefined` for those still on their way. Of `part`, if there is
 * one, they get more detail as soon as it is there.
 */
export function useTrialSeries(trialIds: readonly string[], part: Part | null = null) {
  const token = useShareToken();
  const { data: whole, ...rest } = useQueries({
    queries: trialIds.map((id) =>
      token ? { ...seriesQuery(token, id, { points: SERIES_POINTS }) } : { ...trialSeriesQuery(id) },
    ),
    combine: (results) => ({
      data: results.map((result) => result.data as TrialSeriesData | undefined),
      error: results.find((result) => result.isError)?.error ?? null,
      retry: () => {
        for (const result of results) if (result.isError) void result.refetch();
      },
    }),
  });
  const detail = useDetail(trialIds, whole, part);
  const data = useMemo(
    () =>
      whole.map((one, at) => {
        const fine = detail[at];
        return one && fine && part ? { ...one, series: withDetail(one.series, fine.series, part) } : one;
      }),
    [whole, detail, part],
  );
  return { ...rest, data };
}

export interface TrialSeriesData {
  trial_id: string;
  series: Series[];
  actions: ActionMark[];
}

/** Points a line gets from the database: about one a pixel. */
export const SERIES_POINTS = 600;

/** The key of the whole of a trial, to which live events add. */
export const trialSeriesKey = (trialId: string) =>
  getTrialSeriesQueryKey(ofTrial(trialId, { points: SERIES_POINTS }));

/**
 * All series of a trial. While it runs, live events add to this very cache entry, so a fetch merges with what is
 * there instead of replacing it: neither can lose the other's points. A finished trial never changes.
 */
export function trialSeriesQuery(trialId: string) {
  const request = ofTrial(trialId, { points: SERIES_POINTS });
  const queryKey = trialSeriesKey(trialId);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<TrialSeriesData> => {
      const fetched = await unwrap(getTrialSeries({ ...request, signal, throwOnError: true }));
      const live = client.getQueryData<TrialSeriesData>(queryKey);
      if (!live) return fetched;
      const series = mergeSeries(fetched.series, live.series);
      return { ...fetched, series, actions: mergeActions(fetched.actions, live.actions) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Lines that did not change keep their identity anyway; comparing each reading with itself takes long.
    structuralSharing: false,
    gcTime: 30 * 60_000,
  });
}

const RUN_POINTS = 1200;
/** Fewer than these are no curve. */
const FEWEST_POINTS = 10;

/** Each trial's share of the points of a run, in steps of two: a block more does not load all of them again. */
export function pointsATrial(trials: number): number {
  const share = 2 ** Math.floor(Math.log2(RUN_POINTS / Math.max(1, trials)));
  return Math.min(SERIES_POINTS, Math.max(FEWEST_POINTS, share));
}

/** The series of `keys` of an ended trial, thinned: where many trials are drawn at once. */
export function coarseSeriesQuery(trialId: string, points: number, keys: string[]) {
  return queryOptions({ ...seriesQuery(null, trialId, { points, keys }), gcTime: 30 * 60_000 });
}
