import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listRuns } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const LIMIT = 100;

/** The newest runs of an experiment, and how many there are in all; asked again now and then, as states change. */
export function useExperimentRuns(experimentId: string) {
  const query = { experiment_id: experimentId, limit: LIMIT };
  return useQuery({
    queryKey: queryKeys.runList(query),
    queryFn: ({ signal }) => unwrap(listRuns({ query, signal, throwOnError: true })),
    refetchInterval: 10_000,
  });
}
