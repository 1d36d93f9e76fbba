import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { resumeRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Go on with a paused run. */
export function useResumeRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(resumeRun({ path: { run_id: id }, throwOnError: true })),
    onSuccess: (run) => queryClient.setQueryData(queryKeys.run(id), run),
  });
}
