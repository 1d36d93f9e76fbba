import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const ANALYSIS_POLL_MS = 2000;

/**
 * A run with its trials and progress. While it goes on, the live stream keeps this cache entry current; between its end
 * and its verdict it is asked for again.
 */
export function useRun(id: string) {
  return useQuery({
    queryKey: queryKeys.run(id),
    queryFn: ({ signal }) => unwrap(getRun({ path: { run_id: id }, signal, throwOnError: true })),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'completed' && data.headline === null ? ANALYSIS_POLL_MS : false,
  });
}
