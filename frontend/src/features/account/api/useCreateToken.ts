import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { createToken, type TokenCreate } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A new API token; its secret is in the answer only. */
export function useCreateToken() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: TokenCreate) => unwrap(createToken({ body, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.tokens }),
  });
}
