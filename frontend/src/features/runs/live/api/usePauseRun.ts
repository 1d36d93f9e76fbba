import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { pauseRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Let the trial under way finish, and begin no other. */
export function usePauseRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(pauseRun({ path: { run_id: id }, throwOnError: true })),
    onSuccess: (run) => queryClient.setQueryData(queryKeys.run(id), run),
  });
}
