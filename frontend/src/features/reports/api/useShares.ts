import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listShares } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useShares(runId: string) {
  return useQuery({
    queryKey: queryKeys.shares(runId),
    queryFn: ({ signal }) => unwrap(listShares({ path: { run_id: runId }, signal, throwOnError: true })),
  });
}
