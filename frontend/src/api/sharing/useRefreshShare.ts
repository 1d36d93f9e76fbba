import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../client';
import { refreshShare } from '../generated';
import type { ShareSubject } from './subjects';

/** Let a link show what its owner reads now. */
export function useRefreshShare({ key }: ShareSubject) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (shareId: string) =>
      unwrap(refreshShare({ path: { share_id: shareId }, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: key }),
  });
}
