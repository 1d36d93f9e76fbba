import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getHostHistory } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const UNDER_WAY_MS = 2000;

/** How much was measured on a host; asked again while something of it is being deleted. */
export function useHostHistory(hostId: string) {
  return useQuery({
    queryKey: queryKeys.hostHistory(hostId),
    queryFn: ({ signal }) =>
      unwrap(getHostHistory({ path: { host_id: hostId }, signal, throwOnError: true })),
    refetchInterval: (query) => (query.state.data?.deletion ? UNDER_WAY_MS : false),
  });
}
