import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { removeHost } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Revoke a host's credential. Its history stays. */
export function useRemoveHost(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(removeHost({ path: { host_id: id }, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.hosts, exact: true }),
  });
}
