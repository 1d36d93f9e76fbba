import { type QueryClient, useQuery } from '@tanstack/react-query';
import { queryKeys } from '@/api/queryKeys';
import { ageMs } from './serverClock';

/** The delays from which the one that is shown is taken: a single hiccup is not the usual. */
const KEPT = 9;

/** Note how old a reading is once it has been drawn; a page in the background draws nothing. */
export function noteDelay(client: QueryClient, runId: string, readAtUs: number): void {
  if (document.hidden) return;
  requestAnimationFrame(() => {
    const delay = ageMs(client, readAtUs, Date.now());
    if (delay === undefined) return;
    client.setQueryData<number[]>(queryKeys.readingDelays(runId), (old = []) => [
      ...old.slice(1 - KEPT),
      Math.max(0, delay),
    ]);
  });
}

/** The median, to ten milliseconds: what is shown does not change for less. */
function usualOf(delays: readonly number[]): number | undefined {
  const median = [...delays].sort((a, b) => a - b)[delays.length >> 1];
  return median === undefined ? undefined : Math.max(1, Math.round(median / 10)) * 10;
}

/** Milliseconds from a reading on a host to this screen: the median of the latest. */
export function useReadingDelay(runId: string): number | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.readingDelays(runId),
    queryFn: ({ client }) => client.getQueryData<number[]>(queryKeys.readingDelays(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
    select: usualOf,
  });
  return data;
}
