import { useMutation, useQueryClient } from '@tanstack/react-query';
import { setCsrfToken, unwrap } from '@/api/client';
import { type LoginRequest, login } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { noteSession } from '@/api/session/sessionEnd';

/** Sign in. A page that is open, of the same account, fetches anew what it shows. */
export function useLogin() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: LoginRequest) => unwrap(login({ body, throwOnError: true })),
    onSuccess: (me) => {
      noteSession(queryClient, me);
      setCsrfToken(me.csrf_token);
      queryClient.setQueryData(queryKeys.me, me);
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.me[0] });
    },
  });
}
