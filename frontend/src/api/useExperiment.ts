import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { getExperiment } from './generated';
import { queryKeys } from './queryKeys';

export function useExperiment(id: string) {
  return useQuery({
    queryKey: queryKeys.experiment(id),
    queryFn: ({ signal }) =>
      unwrap(getExperiment({ path: { experiment_id: id }, signal, throwOnError: true })),
    refetchInterval: 10_000,
  });
}
