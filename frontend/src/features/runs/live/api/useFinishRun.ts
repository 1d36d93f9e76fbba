import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { finishRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useFinishRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(finishRun({ path: { run_id: id }, throwOnError: true })),
    onSuccess: (run) => queryClient.setQueryData(queryKeys.run(id), run),
  });
}
