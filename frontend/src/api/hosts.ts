import { useQueries, useQuery } from '@tanstack/react-query';
import { itemsOf } from './client';
import { getHostOptions, type HostDetail, type HostSummary, listHostsOptions } from './generated';

/** Everything about a host but its inventory, as the list of hosts has it. */
export type HostRow = HostSummary;

/** All hosts; polled, as heartbeats age. */
export function useHosts() {
  return useQuery({ ...listHostsOptions(), select: itemsOf, refetchInterval: 5000 });
}

/** Several hosts with their inventories, by id; those that are not there yet are left out. */
export function useHostDetails(ids: readonly string[]): Map<string, HostDetail> {
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      ...getHostOptions({ path: { host_id: id } }),
      staleTime: 60_000,
    })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  });
}
