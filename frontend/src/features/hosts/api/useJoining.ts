import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getJoining } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** What another machine needs to become a host, and what stands in its way. */
export function useJoining() {
  return useQuery({
    queryKey: queryKeys.joining,
    queryFn: ({ signal }) => unwrap(getJoining({ signal, throwOnError: true })),
  });
}
