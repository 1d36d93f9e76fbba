import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { retryRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Try the failed trials of a failed run again. */
export function useRetryRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(retryRun({ path: { run_id: id }, throwOnError: true })),
    onSuccess: (run) => queryClient.setQueryData(queryKeys.run(id), run),
  });
}
