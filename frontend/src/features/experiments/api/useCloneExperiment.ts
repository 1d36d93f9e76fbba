import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type CloneRequest, cloneExperiment } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A new experiment of one's own with the same definition. */
export function useCloneExperiment(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: CloneRequest) =>
      unwrap(cloneExperiment({ path: { experiment_id: id }, body, throwOnError: true })),
    onSuccess: (experiment) => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
      queryClient.setQueryData(queryKeys.experiment(experiment.id), experiment);
    },
  });
}
