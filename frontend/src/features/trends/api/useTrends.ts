import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getTrends } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/**
 * An experiment's finished runs over time. Asked for again when the page is opened, as another run may have ended,
 * and while means of older runs are computed.
 */
export function useTrends(experimentId: string) {
  return useQuery({
    queryKey: queryKeys.trends(experimentId),
    queryFn: ({ signal }) =>
      unwrap(getTrends({ path: { experiment_id: experimentId }, signal, throwOnError: true })),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) =>
      state.data?.left_out.some(({ is_pending }) => is_pending) ? 2_000 : false,
  });
}
