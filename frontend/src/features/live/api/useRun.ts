import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A run with its trials and progress. While it goes on, the live stream keeps this cache entry current. */
export function useRun(id: string) {
  return useQuery({
    queryKey: queryKeys.run(id),
    queryFn: ({ signal }) => unwrap(getRun({ path: { run_id: id }, signal, throwOnError: true })),
  });
}
