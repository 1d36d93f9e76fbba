import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getConfigTest } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const POLL_MS = 400;

/** A check on a host, asked about until the host has answered or the backend has given up on it. */
export function useConfigTest(id: string | null) {
  return useQuery({
    queryKey: queryKeys.configTest(id ?? ''),
    queryFn: ({ signal }) =>
      unwrap(getConfigTest({ path: { test_id: id ?? '' }, signal, throwOnError: true })),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'pending' ? false : POLL_MS),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
