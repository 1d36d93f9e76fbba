import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** The run that another one is looked for. */
export function useFirstRun(runId: string | undefined) {
  const { data } = useQuery({
    queryKey: queryKeys.run(runId ?? ''),
    queryFn: ({ signal }) => unwrap(getRun({ path: { run_id: runId ?? '' }, signal, throwOnError: true })),
    enabled: runId !== undefined,
  });
  return data;
}
