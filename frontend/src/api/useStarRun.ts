import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from './client';
import { starRun, unstarRun } from './generated';
import { queryKeys } from './queryKeys';

/** Mark a run as worth keeping, or take the mark away. */
export function useStarRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (starred: boolean) => {
      const ofRun = { path: { run_id: id }, throwOnError: true as const };
      return unwrap(starred ? starRun(ofRun) : unstarRun(ofRun));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.runs }),
  });
}
