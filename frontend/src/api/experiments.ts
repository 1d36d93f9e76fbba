import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { allOf, unwrap } from './client';
import {
  compareVersionsOptions,
  createExperiment,
  type ExperimentCreate,
  getExperimentOptions,
  getExperimentQueryKey,
} from './generated';

export function useExperiment(id: string) {
  return useQuery({ ...getExperimentOptions({ path: { experiment_id: id } }), refetchInterval: 10_000 });
}

export function useCreateExperiment() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ExperimentCreate) => unwrap(createExperiment({ body, throwOnError: true })),
    onSuccess: (experiment) => {
      void queryClient.invalidateQueries({ queryKey: allOf('experiments') });
      const path = { experiment_id: experiment.id };
      queryClient.setQueryData(getExperimentQueryKey({ path }), experiment);
    },
  });
}

/** What changed between two versions of an experiment. Versions never change, so neither does this. */
export function useVersionDiff(experimentId: string, before: number, after: number) {
  const path = { experiment_id: experimentId, before, after };
  return useQuery({ ...compareVersionsOptions({ path }), staleTime: Number.POSITIVE_INFINITY });
}
