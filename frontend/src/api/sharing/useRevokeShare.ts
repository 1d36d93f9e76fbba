import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../client';
import { revokeShare } from '../generated';
import type { ShareSubject } from './subjects';

export function useRevokeShare({ key }: ShareSubject) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (shareId: string) => unwrap(revokeShare({ path: { share_id: shareId }, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: key }),
  });
}
