import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { endOtherSessions } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** End all of one's own sessions but this browser's. */
export function useEndOtherSessions() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(endOtherSessions({ throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.sessions }),
  });
}
