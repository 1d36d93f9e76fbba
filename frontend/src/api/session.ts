import { type QueryClient, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { ApiProblem } from '@/lib/problem';
import { setCsrfToken } from './client';
import type { Me, RunSummary } from './generated';
import { me } from './signIn';

export const meKey = ['me'] as const;
/** Whether the session of the signed-in account has ended. */
export const hasEndedKey = ['me', 'has-ended'] as const;

/**
 * What an answer "not signed in" means: for who was signed in, that the session has ended, upon which the shell asks to
 * sign in again over the page as it is; `null` for who was not.
 */
export function noteSessionEnd(client: QueryClient): Me | null {
  const known = client.getQueryData<Me | null>(meKey) ?? null;
  if (known) client.setQueryData(hasEndedKey, true);
  return known;
}

/** Who is signed in now. What was fetched for another account is forgotten. */
export function noteSession(client: QueryClient, me: Me): void {
  const known = client.getQueryData<Me | null>(meKey);
  if (known?.account.id !== me.account.id)
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
  client.setQueryData(hasEndedKey, false);
}

export function useHasEnded(): boolean {
  return useQuery<boolean>({ queryKey: hasEndedKey, queryFn: skipToken }).data ?? false;
}

async function fetchMe(client: QueryClient): Promise<Me | null> {
  try {
    const answer = await me();
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
  queryKey: meKey,
  queryFn: ({ client }) => fetchMe(client),
  staleTime: 5 * 60_000,
});

export function useMe() {
  return useQuery(meQuery);
}

/** The page that whoever may do nothing else yet has to see first. */
export function firstStep(me: Me | null | undefined): string | null {
  if (me?.account.must_change_password) return '/new-password';
  return me?.must_add_passkey ? '/new-passkey' : null;
}

const RANKS = { viewer: 0, experimenter: 1, administrator: 2 };

export function hasRole(me: Me | null | undefined, role: keyof typeof RANKS): boolean {
  return me ? RANKS[me.account.role] >= RANKS[role] : false;
}

/** Whether the signed-in account has at least this role. The backend decides; this only hides what it would refuse. */
export function useHasRole(role: keyof typeof RANKS): boolean {
  return hasRole(useMe().data, role);
}

/** Whether who is signed in may change a run: its author, or an administrator. */
export function useMayChange({ created_by }: Pick<RunSummary, 'created_by'>): boolean {
  const { data: me } = useMe();
  const mayExperiment = useHasRole('experimenter');
  const isAdministrator = useHasRole('administrator');
  return isAdministrator || (mayExperiment && me?.account.email === created_by);
}

let oneTimePassword: string | undefined;

/** Keep a one-time password in the memory of this page, for the form that replaces it right afterwards. */
export function keepOneTimePassword(password: string): void {
  oneTimePassword = password;
}

/** The one that was kept; nobody gets it a second time. */
export function takeOneTimePassword(): string | undefined {
  const taken = oneTimePassword;
  oneTimePassword = undefined;
  return taken;
}
