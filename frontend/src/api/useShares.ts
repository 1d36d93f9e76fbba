import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { listShares } from './generated';
import { queryKeys } from './queryKeys';

export function useShares(runId: string) {
  return useQuery({
    queryKey: queryKeys.shares(runId),
    queryFn: ({ signal }) => unwrap(listShares({ path: { run_id: runId }, signal, throwOnError: true })),
  });
}
