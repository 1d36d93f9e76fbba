import { useQueries } from '@tanstack/react-query';
import { type TrialSeriesData, trialSeriesQuery } from '@/api/trialSeries';

/** The series of several trials, in their order; `undefined` for those still on their way. */
export function useSeriesOf(trialIds: readonly string[]) {
  return useQueries({
    queries: trialIds.map((id) => trialSeriesQuery(id)),
    combine: (results) => ({
      data: results.map((result) => result.data as TrialSeriesData | undefined),
      error: results.find((result) => result.isError)?.error ?? null,
      retry: () => {
        for (const result of results) if (result.isError) void result.refetch();
      },
    }),
  });
}
