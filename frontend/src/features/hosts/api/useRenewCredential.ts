import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { renewHostCredential } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Revoke a host's credential; the answer has the token for a new one. */
export function useRenewCredential(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(renewHostCredential({ path: { host_id: id }, body: {}, throwOnError: true })),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.host(id) });
      void queryClient.invalidateQueries({ queryKey: queryKeys.hosts });
    },
  });
}
