import { useMutation, useQueryClient } from '@tanstack/react-query';
import { setCsrfToken, unwrap } from '@/api/client';
import { changePassword, type PasswordChange } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Replace one's password. All sessions and tokens end; this browser goes on with the new session of the answer. */
export function useChangePassword() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: PasswordChange) => unwrap(changePassword({ body, throwOnError: true })),
    onSuccess: (me) => {
      setCsrfToken(me.csrf_token);
      queryClient.setQueryData(queryKeys.me, me);
      void queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
      void queryClient.invalidateQueries({ queryKey: queryKeys.tokens });
    },
  });
}
