import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { revokeAccountTokens } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Revoke all of somebody's tokens. */
export function useRevokeAccountTokens(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(revokeAccountTokens({ path: { account_id: id }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.accountTokens(id) }),
  });
}
