import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { logout } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Sign out. The shell watches who is signed in: that entry changes, all others are forgotten. */
export function useLogout() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(logout({ throwOnError: true })),
    onSuccess: () => {
      queryClient.setQueryData(queryKeys.me, null);
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.me[0] });
    },
  });
}
