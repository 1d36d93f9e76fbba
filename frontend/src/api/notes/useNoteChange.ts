import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../queryKeys';

/** A mutation after which the notes of a run, and how many it has, are asked for again. */
export function useNoteChange<R, V>(runId: string, options: UseMutationOptions<R, Error, V>) {
  const queryClient = useQueryClient();
  return useMutation({
    ...options,
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.allTrends });
      return queryClient.invalidateQueries({ queryKey: queryKeys.notes(runId) });
    },
  });
}
