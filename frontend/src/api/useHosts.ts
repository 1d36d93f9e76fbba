import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { type HostDetail, listHosts } from './generated';
import { queryKeys } from './queryKeys';

/** What the list of hosts knows of each: all but its inventory. */
export type HostRow = Omit<HostDetail, 'inventory' | 'inventory_at'>;

/** All hosts; asked again every few seconds, as heartbeats age. */
export function useHosts() {
  return useQuery({
    queryKey: queryKeys.hosts,
    queryFn: ({ signal }) => unwrap(listHosts({ signal, throwOnError: true })),
    refetchInterval: 5000,
  });
}
