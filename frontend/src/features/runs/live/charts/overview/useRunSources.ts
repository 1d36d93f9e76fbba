import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { RunDetail, TrialOut } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { coarseSeriesQuery, pointsATrial, type TrialSeriesData, trialSeriesQuery } from '@/api/trialSeries';
import { CHARTS } from '@/components/charts/series/definitions';
import { useSources } from '@/components/charts/series/useSources';
import { armIndex, armLabel } from '@/domain/trials';

const KEYS = CHARTS.map(({ key }) => key);

/**
 * The main series of these trials: of those that have ended, thinned and loaded once; of the one under way, what the
 * stream brings.
 */
export function useRunSources(run: RunDetail, trials: readonly TrialOut[]) {
  const client = useQueryClient();
  const points = pointsATrial(run.plan.trials);
  const live = (id: string) => client.getQueryData<TrialSeriesData>(queryKeys.trialSeries(id));
  const { data, error, retry } = useQueries({
    queries: trials.map(({ id }) =>
      id === run.progress.current_trial_id
        ? { ...trialSeriesQuery(id) }
        : // What was watched is drawn until what is stored has come.
          { ...coarseSeriesQuery(id, points, KEYS), placeholderData: () => live(id) },
    ),
    combine: (results) => ({
      data: results.map((result) => result.data as TrialSeriesData | undefined),
      error: results.find((result) => result.isError)?.error ?? null,
      retry: () => {
        for (const result of results) if (result.isError) void result.refetch();
      },
    }),
  });
  const drawn = trials.map(({ id, arm }) => ({
    trialId: id,
    armIndex: armIndex(run.arms, arm),
    armLabel: armLabel(run.arms, arm),
  }));
  return {
    sources: useSources(drawn, data),
    isLoading: data.length > 0 && data.every((one) => one === undefined),
    error,
    retry,
  };
}
