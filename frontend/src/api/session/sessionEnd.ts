import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';
import type { Me } from '../generated';
import { queryKeys } from '../queryKeys';

/**
 * What an answer "not signed in" means: for who was signed in, that the session has ended, upon which the shell asks to
 * sign in again over the page as it is; `null` for who was not.
 */
export function noteSessionEnd(client: QueryClient): Me | null {
  const known = client.getQueryData<Me | null>(queryKeys.me) ?? null;
  if (known) client.setQueryData(queryKeys.hasEnded, true);
  return known;
}

/** Who is signed in now. What was fetched for another account is forgotten. */
export function noteSession(client: QueryClient, me: Me): void {
  const known = client.getQueryData<Me | null>(queryKeys.me);
  if (known?.account.id !== me.account.id)
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.me[0] });
  client.setQueryData(queryKeys.hasEnded, false);
}

/** Whether the session of who is signed in has ended under the page. */
export function useHasEnded(): boolean {
  return useQuery<boolean>({ queryKey: queryKeys.hasEnded, queryFn: skipToken }).data ?? false;
}
