import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from './client';
import { createExperiment, type ExperimentCreate } from './generated';
import { queryKeys } from './queryKeys';

/** Save a template with parameters, or a definition, as a new experiment. */
export function useCreateExperiment() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ExperimentCreate) => unwrap(createExperiment({ body, throwOnError: true })),
    onSuccess: (experiment) => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
      queryClient.setQueryData(queryKeys.experiment(experiment.id), experiment);
    },
  });
}
