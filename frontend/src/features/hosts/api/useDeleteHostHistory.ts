import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type DeleteHostHistoryData, deleteHostHistory } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Delete what was measured on a host; it goes on in the background. */
export function useDeleteHostHistory(hostId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (query: DeleteHostHistoryData['query']) =>
      unwrap(deleteHostHistory({ path: { host_id: hostId }, query, throwOnError: true })),
    onSuccess: (history) => {
      queryClient.setQueryData(queryKeys.hostHistory(hostId), history);
      for (const queryKey of [queryKeys.runs, queryKeys.storage])
        void queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
    },
  });
}
