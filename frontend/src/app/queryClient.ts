import { t } from '@lingui/core/macro';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { queryKeys } from '@/api/queryKeys';
import { noteSessionEnd } from '@/api/session/sessionEnd';
import { ApiProblem, messageOf } from '@/lib/problem';

/** After 1, 2 and 4 s: a laptop that changes its network drops every request for a second or two. */
const MAX_RETRIES = 3;

/** Only what may pass by itself is tried again: no answer, too much asked at once, or the server's own trouble. */
function worthRetrying(failures: number, error: Error): boolean {
  if (!(error instanceof ApiProblem) || failures >= MAX_RETRIES) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
}

/** The code of notifications is there wherever something can be changed, but not on the sign-in page. */
async function noteFailure(error: Error) {
  const { notifications } = await import('@mantine/notifications');
  notifications.show({ title: t`Action failed`, message: messageOf(error), color: 'red' });
}

export function createQueryClient(): QueryClient {
  /** Whether that is what went wrong, and the page says so by itself. */
  const noteSignedOut = (error: Error) => {
    if (!(error instanceof ApiProblem) || !error.isSignedOut) return false;
    if (noteSessionEnd(client)) return true;
    client.setQueryData(queryKeys.me, null);
    return false;
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => void noteSignedOut(error) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (noteSignedOut(error) || mutation.meta?.errorShownInPlace) return;
        void noteFailure(error);
      },
    }),
    defaultOptions: {
      // A server on this very machine is there without any network: "offline" stops nothing, and its end asks anew.
      queries: {
        retry: worthRetrying,
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
