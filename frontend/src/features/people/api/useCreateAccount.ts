import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type AccountCreate, createAccount } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A new account with a one-time password, which is in the answer only. */
export function useCreateAccount() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: AccountCreate) => unwrap(createAccount({ body, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.accounts }),
  });
}
