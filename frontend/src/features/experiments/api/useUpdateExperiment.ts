import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ExperimentUpdate, updateExperiment } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Rename or archive. */
export function useUpdateExperiment(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ExperimentUpdate) =>
      unwrap(updateExperiment({ path: { experiment_id: id }, body, throwOnError: true })),
    onSuccess: (experiment) => {
      queryClient.setQueryData(queryKeys.experiment(id), experiment);
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
    },
  });
}
