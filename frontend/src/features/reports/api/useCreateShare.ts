import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { createShare, type ShareCreate } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A link that shows the report without an account. */
export function useCreateShare(runId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ShareCreate) =>
      unwrap(createShare({ path: { run_id: runId }, body, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.shares(runId) }),
  });
}
