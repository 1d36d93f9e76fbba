import { useMutation, useQueryClient } from '@tanstack/react-query';
import { setCsrfToken, unwrap } from '@/api/client';
import { type LoginRequest, login } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useLogin() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: LoginRequest) => unwrap(login({ body, throwOnError: true })),
    onSuccess: (me) => {
      queryClient.clear();
      setCsrfToken(me.csrf_token);
      queryClient.setQueryData(queryKeys.me, me);
    },
  });
}
