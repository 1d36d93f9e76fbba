import { queryOptions, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { mergeActions } from '@/domain/actions';
import { mergeSeries, type Part, type Series, withDetail } from '@/domain/series';
import { unwrap } from './client';
import {
  type ActionMark,
  getSharedSeries,
  getSharedSeriesOptions,
  getSharedSeriesQueryKey,
  getTrialSeries,
  getTrialSeriesQueryKey,
} from './generated';
import { IN_A_FILE, useShareToken } from './shareToken';

function sharedSeriesQuery(token: string, trialId: string) {
  return queryOptions({
    ...getSharedSeriesOptions({ path: { token, trial_id: trialId }, query: { points: SERIES_POINTS } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A part of a trial, with as many points as the whole has. */
function detailQuery(token: string | null, trialId: string, [from, to]: Part) {
  const query = { points: SERIES_POINTS, from, to };
  const own = { path: { trial_id: trialId }, query };
  const shared = { path: { token: token ?? '', trial_id: trialId }, query };
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
  return useQueries({
    queries: part
      ? trialIds.map((id, at) => ({ ...detailQuery(token, id, part), enabled: isAsked(at) }))
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
      token ? { ...sharedSeriesQuery(token, id) } : { ...trialSeriesQuery(id) },
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
  getTrialSeriesQueryKey({ path: { trial_id: trialId }, query: { points: SERIES_POINTS } });

/**
 * All series of a trial. While it runs, live events add to this very cache entry, so a fetch merges with what is
 * there instead of replacing it: neither can lose the other's points. A finished trial never changes.
 */
export function trialSeriesQuery(trialId: string) {
  const request = { path: { trial_id: trialId }, query: { points: SERIES_POINTS } };
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

/** Points that all trials of a run together get in a line. */
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
  const request = { path: { trial_id: trialId }, query: { points, keys } };
  return queryOptions({
    queryKey: getTrialSeriesQueryKey(request),
    queryFn: async ({ signal }): Promise<TrialSeriesData> =>
      unwrap(getTrialSeries({ ...request, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
  });
}
