import { t } from '@lingui/core/macro';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { meKey, noteSessionEnd } from '@/api/session';
import { ApiProblem, isStillWorking, messageOf } from '@/lib/problem';

/** After 1, 2 and 4 s: a laptop that changes its network drops every request for a second or two. */
const MAX_RETRIES = 3;
/** The server itself waits some seconds before it says that something is not ready. */
const STILL_WORKING_MS = 1000;

/** Only what may pass by itself is tried again: no answer, too much asked at once, or the server's own trouble. */
function worthRetrying(failures: number, error: Error): boolean {
  if (isStillWorking(error)) return true;
  if (!(error instanceof ApiProblem) || failures >= MAX_RETRIES) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
}

function retryDelay(failures: number, error: Error): number {
  return isStillWorking(error) ? STILL_WORKING_MS : Math.min(1000 * 2 ** failures, 30_000);
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
    client.setQueryData(meKey, null);
    return false;
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => void noteSignedOut(error) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (noteSignedOut(error) || mutation.meta?.errorShownInPlace) return;
        void noteFailure(error);
      },
      onSettled: async (_data, _error, _variables, _result, mutation) => {
        const { refetches = [] } = mutation.meta ?? {};
        await Promise.all(refetches.map((queryKey) => client.invalidateQueries({ queryKey })));
      },
    }),
    defaultOptions: {
      // A server on this very machine is there without any network: "offline" stops nothing, and its end asks anew.
      queries: {
        retry: worthRetrying,
        retryDelay,
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
