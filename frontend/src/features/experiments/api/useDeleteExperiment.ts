import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { deleteExperiment } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Delete an experiment for good; `endLinks` where links that show something of it work. */
export function useDeleteExperiment(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (endLinks: boolean) =>
      unwrap(
        deleteExperiment({
          path: { experiment_id: id },
          query: { end_links: endLinks },
          throwOnError: true,
        }),
      ),
    onSuccess: () => {
      const lists = [queryKeys.storage, queryKeys.allSchedules, queryKeys.runs];
      for (const queryKey of lists) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
      // Its own page is left: asking for it again would be answered with 404.
      void queryClient.invalidateQueries({ queryKey: [...queryKeys.experiments, 'list'] });
    },
  });
}
