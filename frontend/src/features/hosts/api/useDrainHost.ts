import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { drainHost } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Stop giving new runs to a host, or start again. */
export function useDrainHost(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (draining: boolean) =>
      unwrap(drainHost({ path: { host_id: id }, body: { draining }, throwOnError: true })),
    onSuccess: (host) => {
      queryClient.setQueryData(queryKeys.host(id), host);
      void queryClient.invalidateQueries({ queryKey: queryKeys.hosts });
    },
  });
}
