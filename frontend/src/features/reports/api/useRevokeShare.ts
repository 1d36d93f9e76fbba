import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { revokeShare } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useRevokeShare(runId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (shareId: string) => unwrap(revokeShare({ path: { share_id: shareId }, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.shares(runId) }),
  });
}
