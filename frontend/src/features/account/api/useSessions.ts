import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listSessions } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Which browsers are signed in to one's own account. */
export function useSessions() {
  return useQuery({
    queryKey: queryKeys.sessions,
    queryFn: ({ signal }) => unwrap(listSessions({ signal, throwOnError: true })),
  });
}
