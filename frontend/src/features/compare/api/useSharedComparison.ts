import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getSharedComparison } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A comparison by its share link, without an account. */
export function useSharedComparison(token: string) {
  return useQuery({
    queryKey: queryKeys.sharedComparison(token),
    queryFn: ({ signal }) => unwrap(getSharedComparison({ path: { token }, signal, throwOnError: true })),
  });
}
