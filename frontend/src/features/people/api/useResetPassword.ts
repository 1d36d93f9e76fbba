import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { resetPassword } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Give somebody a one-time password, which is in the answer only. Their sessions and tokens end. */
export function useResetPassword(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(resetPassword({ path: { account_id: id }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.account(id) }),
  });
}
