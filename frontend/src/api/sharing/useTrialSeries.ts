import { queryOptions, useQueries } from '@tanstack/react-query';
import { unwrap } from '../client';
import { getSharedSeries } from '../generated';
import { queryKeys } from '../queryKeys';
import { SERIES_POINTS, type TrialSeriesData, trialSeriesQuery } from '../trialSeries';
import { useShareToken } from './access';

function sharedSeriesQuery(token: string, trialId: string) {
  return queryOptions({
    queryKey: [...queryKeys.sharedReport(token), ...queryKeys.trialSeries(trialId)],
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

/** The charts' data of several trials, in their order; `undefined` for those still on their way. */
export function useTrialSeries(trialIds: readonly string[]) {
  const token = useShareToken();
  return useQueries({
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
}
