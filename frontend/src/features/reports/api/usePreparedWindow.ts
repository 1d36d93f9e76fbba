import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { prepareWindow } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Once `isWanted`, the server reads what another window of the run is computed from; without it the choice only takes
 * longer, so a failure is nobody's concern. */
export function usePreparedWindow(runId: string, isWanted: boolean) {
  useQuery({
    queryKey: queryKeys.preparedWindow(runId),
    queryFn: async () => {
      await unwrap(prepareWindow({ path: { run_id: runId }, throwOnError: true }));
      return true;
    },
    enabled: isWanted,
    staleTime: 60_000,
    retry: false,
  });
}
