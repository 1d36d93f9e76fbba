import { type QueryClient, useQuery } from '@tanstack/react-query';

const CLOCK_KEY = ['server-clock'] as const;
const delaysKey = (runId: string) => ['reading-delays', runId] as const;

const heardKey = (runId: string) => ['heard-at', runId] as const;

/** Note that the server said something of the run just now. */
export function noteNews(client: QueryClient, runId: string): void {
  client.setQueryData<number>(heardKey(runId), Date.now());
}

/** When the server last said something of the run, by this machine's clock in milliseconds. */
export function useLastNews(runId: string): number | undefined {
  const { data } = useQuery({
    queryKey: heardKey(runId),
    queryFn: ({ client }) => client.getQueryData<number>(heardKey(runId)) ?? Number.POSITIVE_INFINITY,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** The delays from which the one that is shown is taken: a single hiccup is not the usual. */
const KEPT = 9;

/** Note how old a reading is once it has been drawn; a page in the background draws nothing. */
export function noteDelay(client: QueryClient, runId: string, readAtUs: number): void {
  if (document.hidden) return;
  requestAnimationFrame(() => {
    const delay = ageMs(client, readAtUs, Date.now());
    if (delay === undefined) return;
    client.setQueryData<number[]>(delaysKey(runId), (old = []) => [
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
    queryKey: delaysKey(runId),
    queryFn: ({ client }) => client.getQueryData<number[]>(delaysKey(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
    select: usualOf,
  });
  return data;
}

interface ServerClock {
  /** The server's clock minus this machine's. */
  offsetMs: number;
  roundTripMs: number;
}

/** Estimates the offset of the server's clock from an answer, taken as written halfway. The shortest round trip counts. */
export function noteServerTime(
  client: QueryClient,
  serverTime: string,
  askedMs: number,
  nowMs: number,
): void {
  const roundTripMs = nowMs - askedMs;
  const known = client.getQueryData<ServerClock>(CLOCK_KEY);
  if (known && known.roundTripMs <= roundTripMs) return;
  const offsetMs = Date.parse(serverTime) - (askedMs + nowMs) / 2;
  client.setQueryData<ServerClock>(CLOCK_KEY, { offsetMs, roundTripMs });
}

/** The age of a time of the server's clock, in milliseconds; undefined before any answer has told that clock. */
export function ageMs(client: QueryClient, timeUs: number, nowMs: number): number | undefined {
  const known = client.getQueryData<ServerClock>(CLOCK_KEY);
  return known && nowMs + known.offsetMs - timeUs / 1000;
}
