import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { endSession } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** End one of one's own sessions. */
export function useEndSession() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) =>
      unwrap(endSession({ path: { session_id: sessionId }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.sessions }),
  });
}
