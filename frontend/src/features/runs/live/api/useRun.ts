import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { noteServerTime } from './serverClock';

const ANALYSIS_POLL_MS = 2000;
const QUEUE_POLL_MS = 3000;

/**
 * A run with its trials and progress. While it goes on, the live stream keeps this cache entry current; in the queue,
 * where it depends on other runs, and between its end and its verdict it is asked for again.
 */
export function useRun(id: string) {
  return useQuery({
    queryKey: queryKeys.run(id),
    queryFn: async ({ client, signal }) => {
      const asked = Date.now();
      const run = await unwrap(getRun({ path: { run_id: id }, signal, throwOnError: true }));
      noteServerTime(client, run.server_time, asked, Date.now());
      return run;
    },
    refetchInterval: ({ state: { data } }) => {
      if (data?.state === 'queued') return QUEUE_POLL_MS;
      return data?.state === 'completed' && data.headline === null ? ANALYSIS_POLL_MS : false;
    },
  });
}
