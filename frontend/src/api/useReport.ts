import { queryOptions, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getReport } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const UNFINISHED = new Set(['queued', 'running']);

export const reportQuery = (runId: string) =>
  queryOptions({
    queryKey: queryKeys.report(runId),
    queryFn: ({ signal }) => unwrap(getReport({ path: { run_id: runId }, signal, throwOnError: true })),
  });

/** The report of a run; while the run goes on, it is asked for again as trials are added. */
export function useReport(runId: string) {
  return useQuery({
    ...reportQuery(runId),
    refetchInterval: ({ state }) => (state.data && UNFINISHED.has(state.data.run.state) ? 10_000 : false),
  });
}
