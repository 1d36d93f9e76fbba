import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { listHosts } from './generated';
import { queryKeys } from './queryKeys';

/** All hosts; asked again every few seconds, as heartbeats age. */
export function useHosts() {
  return useQuery({
    queryKey: queryKeys.hosts,
    queryFn: ({ signal }) => unwrap(listHosts({ signal, throwOnError: true })),
    refetchInterval: 5000,
  });
}
