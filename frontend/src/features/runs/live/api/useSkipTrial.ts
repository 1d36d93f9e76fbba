import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { skipTrial } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Go on without a trial; one under way is stopped. */
export function useSkipTrial() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (trialId: string) => unwrap(skipTrial({ path: { trial_id: trialId }, throwOnError: true })),
    onSuccess: (run) => queryClient.setQueryData(queryKeys.run(run.id), run),
  });
}
