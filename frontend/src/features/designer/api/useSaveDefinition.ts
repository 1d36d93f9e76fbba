import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type DefinitionUpdate, saveDefinition } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Save a new version of an experiment. */
export function useSaveDefinition() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: ({ id, body }: { id: string; body: DefinitionUpdate }) =>
      unwrap(saveDefinition({ path: { experiment_id: id }, body, throwOnError: true })),
    onSuccess: (experiment) => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
      queryClient.setQueryData(queryKeys.experiment(experiment.id), experiment);
    },
  });
}
