import { useQueries } from '@tanstack/react-query';
import { unwrap } from './client';
import { getHost, type HostDetail } from './generated';
import { queryKeys } from './queryKeys';

/** Several hosts with their inventories, by id; those that are not there yet are left out. */
export function useHostDetails(ids: readonly string[]): Map<string, HostDetail> {
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: queryKeys.host(id),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        unwrap(getHost({ path: { host_id: id }, signal, throwOnError: true })),
      staleTime: 60_000,
    })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  });
}
