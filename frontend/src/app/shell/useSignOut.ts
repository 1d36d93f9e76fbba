import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { logout } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Ends the session; the shell then leads to the sign-in page. */
export function useSignOut() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(logout({ throwOnError: true })),
    onSuccess: () => {
      // The shell watches who is signed in: that entry changes, all others go.
      queryClient.setQueryData(queryKeys.me, null);
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.me[0] });
    },
  });
}
