import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getSharedTrends } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Trends by their share link, without an account. */
export function useSharedTrends(token: string) {
  return useQuery({
    queryKey: queryKeys.sharedTrends(token),
    queryFn: ({ signal }) => unwrap(getSharedTrends({ path: { token }, signal, throwOnError: true })),
  });
}
