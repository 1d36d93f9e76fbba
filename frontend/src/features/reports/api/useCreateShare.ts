import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { createShare } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A link that shows the report without an account. */
export function useCreateShare(runId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (expiresInDays: number | null) =>
      unwrap(
        createShare({
          path: { run_id: runId },
          body: { expires_in_days: expiresInDays },
          throwOnError: true,
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.shares(runId) }),
  });
}
