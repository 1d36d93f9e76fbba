import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { createExperiment, type ExperimentCreate } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Save a template with parameters as an experiment. */
export function useCreateExperiment() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ExperimentCreate) => unwrap(createExperiment({ body, throwOnError: true })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.experiments }),
  });
}
