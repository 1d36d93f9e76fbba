import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from './client';
import { type RunCreate, startRun } from './generated';
import { queryKeys } from './queryKeys';

/** Queue a run of an experiment's latest version. A form that shows refusals itself says so. */
export function useStartRun({ errorShownInPlace = false } = {}) {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace },
    mutationFn: ({ experimentId, body }: { experimentId: string; body: RunCreate }) =>
      unwrap(startRun({ path: { experiment_id: experimentId }, body, throwOnError: true })),
    onSuccess: (run) => {
      queryClient.setQueryData(queryKeys.run(run.id), run);
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
      void queryClient.invalidateQueries({ queryKey: queryKeys.runs });
    },
  });
}
