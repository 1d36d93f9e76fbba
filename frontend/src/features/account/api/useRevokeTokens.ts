import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { revokeTokens } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Revoke all of one's own API tokens. */
export function useRevokeTokens() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(revokeTokens({ throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.tokens }),
  });
}
