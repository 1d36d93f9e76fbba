import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type AccountUpdate, updateAccount } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useUpdateAccount() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: AccountUpdate }) =>
      unwrap(updateAccount({ path: { account_id: id }, body, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.accounts }),
  });
}
