import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listRuns } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Runs that wait are among the newest; there is no filter by state. */
const LATEST = 200;

/** Runs that wait, oldest first. */
export function useQueuedRuns() {
  return useQuery({
    queryKey: queryKeys.runList({ queue: LATEST }),
    queryFn: ({ signal }) => unwrap(listRuns({ query: { limit: LATEST }, signal, throwOnError: true })),
    select: ({ items }) => items.filter(({ state }) => state === 'queued').reverse(),
    refetchInterval: 5000,
  });
}
