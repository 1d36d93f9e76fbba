import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { ApiProblem } from '@/lib/problem';
import { setCsrfToken, unwrap } from './client';
import { type Me, me } from './generated';
import { queryKeys } from './queryKeys';
import { noteSession, noteSessionEnd } from './session/sessionEnd';

async function fetchMe(client: QueryClient): Promise<Me | null> {
  try {
    const answer = await unwrap(me({ throwOnError: true }));
    setCsrfToken(answer.csrf_token);
    noteSession(client, answer);
    return answer;
  } catch (error) {
    if (error instanceof ApiProblem && error.isSignedOut) return noteSessionEnd(client);
    throw error;
  }
}

/** Who is signed in, also while the session has to be renewed; `null` for nobody. */
export const meQuery = queryOptions({
  queryKey: queryKeys.me,
  queryFn: ({ client }) => fetchMe(client),
  staleTime: 5 * 60_000,
});

export function useMe() {
  return useQuery(meQuery);
}

const RANKS = { viewer: 0, experimenter: 1, administrator: 2 };

export function hasRole(me: Me | null | undefined, role: keyof typeof RANKS): boolean {
  return me ? RANKS[me.account.role] >= RANKS[role] : false;
}

/** Whether the signed-in account has at least this role. The backend decides; this only hides what it would refuse. */
export function useHasRole(role: keyof typeof RANKS): boolean {
  return hasRole(useMe().data, role);
}
