import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiProblem } from '@/lib/problem';
import { setCsrfToken, unwrap } from './client';
import { type Me, me } from './generated';
import { queryKeys } from './queryKeys';

async function fetchMe(): Promise<Me | null> {
  try {
    const answer = await unwrap(me({ throwOnError: true }));
    setCsrfToken(answer.csrf_token);
    return answer;
  } catch (error) {
    if (error instanceof ApiProblem && error.isSignedOut) return null;
    throw error;
  }
}

/** Who is signed in; `null` for nobody. */
export const meQuery = queryOptions({ queryKey: queryKeys.me, queryFn: fetchMe, staleTime: 5 * 60_000 });

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
