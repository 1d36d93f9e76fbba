import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from './client';
import { type CalibrationRequest, startCalibration } from './generated';
import { queryKeys } from './queryKeys';

/** Queue a run that compares one arm of the experiment with itself. */
export function useStartCalibration({ errorShownInPlace = false } = {}) {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace },
    mutationFn: ({ experimentId, body }: { experimentId: string; body: CalibrationRequest }) =>
      unwrap(startCalibration({ path: { experiment_id: experimentId }, body, throwOnError: true })),
    onSuccess: (run) => {
      queryClient.setQueryData(queryKeys.run(run.id), run);
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
      void queryClient.invalidateQueries({ queryKey: queryKeys.runs });
    },
  });
}
