import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { endAccountSession } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** End one of somebody's sessions. */
export function useEndAccountSession(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) =>
      unwrap(endAccountSession({ path: { account_id: id, session_id: sessionId }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.accountSessions(id) }),
  });
}
