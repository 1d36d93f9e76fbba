import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from './client';
import { deleteRun } from './generated';
import { queryKeys } from './queryKeys';

/** Pages that show the run itself are left to whoever deletes it: asking for it again would be answered with 404. */
const OF_ONE_RUN = new Set<unknown>(['detail', 'notes', 'agent-notes']);

/** Delete a run for good; `endLinks` where links to its report work. */
export function useDeleteRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (endLinks: boolean) =>
      unwrap(deleteRun({ path: { run_id: id }, query: { end_links: endLinks }, throwOnError: true })),
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: queryKeys.run(id), type: 'inactive' });
      void queryClient.invalidateQueries({ queryKey: queryKeys.storage });
      void queryClient.invalidateQueries({ queryKey: queryKeys.allSchedules });
      return queryClient.invalidateQueries({
        queryKey: queryKeys.runs,
        predicate: ({ queryKey }) => !OF_ONE_RUN.has(queryKey[1]),
      });
    },
  });
}
