import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getHost } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useHost(id: string) {
  return useQuery({
    queryKey: queryKeys.host(id),
    queryFn: ({ signal }) => unwrap(getHost({ path: { host_id: id }, signal, throwOnError: true })),
    refetchInterval: 5000,
  });
}
