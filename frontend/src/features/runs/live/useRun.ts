import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getRun, getRunQueryKey, type RunDetail } from '@/api/generated';
import { noteServerTime } from './serverClock';

/** For mutations that answer with the run as it is now: the page shows that run. */
export function useAnsweredRun() {
  const queryClient = useQueryClient();
  return {
    onSuccess: (run: RunDetail) => {
      queryClient.setQueryData(getRunQueryKey({ path: { run_id: run.id } }), run);
    },
  };
}

/** Fields that change all the time while a run goes on. The trials also tell which of them runs. */
const RESTLESS: ReadonlySet<string> = new Set<keyof RunDetail>([
  'server_time',
  'live_seq',
  'progress',
  'flags',
  'verdict_so_far',
]);

/** For `memo`: whether a component that shows none of the restless fields would show the same. */
export function sameButForTime(
  { run: before }: { run: RunDetail },
  { run: now }: { run: RunDetail },
): boolean {
  const names = Object.keys(now) as (keyof RunDetail)[];
  return names.every((name) => RESTLESS.has(name) || before[name] === now[name]);
}

const ANALYSIS_POLL_MS = 2000;
const QUEUE_POLL_MS = 3000;

/**
 * A run with its trials and progress. While it goes on, the live stream keeps this cache entry current; in the queue,
 * where it depends on other runs, and between its end and its verdict it is asked for again.
 */
export function useRun(id: string) {
  const path = { run_id: id };
  return useQuery({
    queryKey: getRunQueryKey({ path }),
    queryFn: async ({ client, signal }) => {
      const asked = Date.now();
      const run = await unwrap(getRun({ path, signal, throwOnError: true }));
      noteServerTime(client, run.server_time, asked, Date.now());
      return run;
    },
    refetchInterval: ({ state: { data } }) => {
      if (data?.state === 'queued') return QUEUE_POLL_MS;
      return data?.state === 'completed' && data.headline === null ? ANALYSIS_POLL_MS : false;
    },
  });
}
