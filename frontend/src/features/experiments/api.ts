import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type ExperimentRuns,
  type ExperimentRunsPage,
  listRunsByExperimentOptions,
  listRunsOptions,
} from '@/api/generated';

const LIMIT = 100;

/** The newest runs of an experiment, and how many there are in all. Polled, as states change. */
export function useExperimentRuns(experimentId: string) {
  const query = { experiment_id: experimentId, limit: LIMIT };
  return useQuery({ ...listRunsOptions({ query }), refetchInterval: 10_000 });
}

function byId({ items }: ExperimentRunsPage): ReadonlyMap<string, ExperimentRuns> {
  return new Map(items.map((entry) => [entry.experiment_id, entry]));
}

/** The newest run and the number of runs of each experiment. One that never ran is absent. */
export function useRunsByExperiment(experimentIds: readonly string[]) {
  return useQuery({
    ...listRunsByExperimentOptions({ query: { experiment_id: [...experimentIds] } }),
    select: byId,
    enabled: experimentIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}
