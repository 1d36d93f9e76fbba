import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { endAccountSessions } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** End all of somebody's sessions. */
export function useEndAccountSessions(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(endAccountSessions({ path: { account_id: id }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.accountSessions(id) }),
  });
}
