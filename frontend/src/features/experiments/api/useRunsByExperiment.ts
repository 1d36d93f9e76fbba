import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ExperimentRuns, listRunsByExperiment } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

function byId(entries: readonly ExperimentRuns[]): ReadonlyMap<string, ExperimentRuns> {
  return new Map(entries.map((entry) => [entry.experiment_id, entry]));
}

/** By experiment: its newest run and how often it ran. One that never ran is absent. */
export function useRunsByExperiment(experimentIds: readonly string[]) {
  const query = { experiment_id: [...experimentIds] };
  return useQuery({
    queryKey: queryKeys.runsByExperiment(experimentIds),
    queryFn: ({ signal }) => unwrap(listRunsByExperiment({ query, signal, throwOnError: true })),
    select: byId,
    enabled: experimentIds.length > 0,
    refetchInterval: 10_000,
  });
}
