import type { QueryClient } from '@tanstack/react-query';
import { queryKeys } from '@/api/queryKeys';

interface ServerClock {
  /** The server's clock minus this machine's. */
  offsetMs: number;
  roundTripMs: number;
}

/** What an answer says of the server's clock: it was written halfway. Of several, the shortest is the surest. */
export function noteServerTime(
  client: QueryClient,
  serverTime: string,
  askedMs: number,
  nowMs: number,
): void {
  const roundTripMs = nowMs - askedMs;
  const known = client.getQueryData<ServerClock>(queryKeys.serverClock);
  if (known && known.roundTripMs <= roundTripMs) return;
  const offsetMs = Date.parse(serverTime) - (askedMs + nowMs) / 2;
  client.setQueryData<ServerClock>(queryKeys.serverClock, { offsetMs, roundTripMs });
}

/** How long ago the server's clock showed a time; unknown before the server has told its own. */
export function ageMs(client: QueryClient, timeUs: number, nowMs: number): number | undefined {
  const known = client.getQueryData<ServerClock>(queryKeys.serverClock);
  return known && nowMs + known.offsetMs - timeUs / 1000;
}
