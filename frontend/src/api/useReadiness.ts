import { useQuery } from '@tanstack/react-query';
import type { Readiness } from './generated';
import { queryKeys } from './queryKeys';

const ASK_EVERY_MS = 60_000;
const ASK_AGAIN_MS = 5_000;

/** The answer is the same message whether the server is ready (200) or not (503), so it is no problem to be thrown. */
async function fetchReadiness(signal: AbortSignal): Promise<Readiness | null> {
  const answer = await fetch(new Request(new URL('/readyz', window.location.origin), { signal }));
  const isMessage = answer.headers.get('Content-Type')?.startsWith('application/json');
  return isMessage ? ((await answer.json()) as Readiness) : null;
}

/** Whether the server has all it needs; `null` where another server answers in its place. */
export function useReadiness() {
  return useQuery({
    queryKey: queryKeys.readiness,
    queryFn: ({ signal }) => fetchReadiness(signal),
    refetchInterval: ({ state }) => (state.data?.ready === false ? ASK_AGAIN_MS : ASK_EVERY_MS),
  });
}
