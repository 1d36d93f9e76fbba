import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { getRun } from './generated';
import { queryKeys } from './queryKeys';

/** What is known of a run beside its report, which is the same everywhere: its star, its author, where it came from. */
export function useRunSummary(runId: string) {
  return useQuery({
    queryKey: [...queryKeys.run(runId), 'summary'],
    queryFn: ({ signal }) => unwrap(getRun({ path: { run_id: runId }, signal, throwOnError: true })),
  });
}
