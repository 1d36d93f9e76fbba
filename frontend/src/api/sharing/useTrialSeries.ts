import { queryOptions, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Part, withDetail } from '@/domain/series';
import { unwrap } from '../client';
import { getSharedSeries, getTrialSeries } from '../generated';
import { queryKeys } from '../queryKeys';
import { SERIES_POINTS, type TrialSeriesData, trialSeriesQuery } from '../trialSeries';
import { IN_A_FILE, useShareToken } from './access';

const sharedKey = (token: string, trialId: string) => [
  ...queryKeys.sharedReport(token),
  ...queryKeys.trialSeries(trialId),
];

function sharedSeriesQuery(token: string, trialId: string) {
  return queryOptions({
    queryKey: sharedKey(token, trialId),
    queryFn: async ({ signal }): Promise<TrialSeriesData> =>
      unwrap(
        getSharedSeries({
          path: { token, trial_id: trialId },
          query: { points: SERIES_POINTS },
          signal,
          throwOnError: true,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A part of a trial, with as many points as the whole has. */
function detailQuery(token: string | null, trialId: string, [from, to]: Part) {
  const query = { points: SERIES_POINTS, from, to };
  const key = token === null ? queryKeys.trialSeries(trialId) : sharedKey(token, trialId);
  return queryOptions({
    // Below the key of the trial's series, so that what makes those stale makes these stale.
    queryKey: [...key, { from, to }],
    queryFn: async ({ signal }): Promise<TrialSeriesData> =>
      token === null
        ? unwrap(getTrialSeries({ path: { trial_id: trialId }, query, signal, throwOnError: true }))
        : unwrap(getSharedSeries({ path: { token, trial_id: trialId }, query, signal, throwOnError: true })),
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
