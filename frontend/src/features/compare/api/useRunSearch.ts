import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listRuns } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const MOST = 20;

/** The newest finished runs with these words, of all experiments or of one. */
export function useRunSearch(search: string, experimentId: string | null) {
  const query = { search, limit: MOST, state: 'completed' as const, experiment_id: experimentId };
  return useQuery({
    queryKey: queryKeys.runList(query),
    queryFn: ({ signal }) => unwrap(listRuns({ query, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
  });
}
