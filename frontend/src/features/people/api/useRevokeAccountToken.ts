import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { revokeAccountToken } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Revoke one of somebody's tokens. */
export function useRevokeAccountToken(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (tokenId: string) =>
      unwrap(revokeAccountToken({ path: { account_id: id, token_id: tokenId }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.accountTokens(id) }),
  });
}
