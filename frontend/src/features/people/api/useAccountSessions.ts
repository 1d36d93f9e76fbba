import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listAccountSessions } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Which browsers are signed in to somebody's account. */
export function useAccountSessions(id: string) {
  return useQuery({
    queryKey: queryKeys.accountSessions(id),
    queryFn: ({ signal }) =>
      unwrap(listAccountSessions({ path: { account_id: id }, signal, throwOnError: true })),
  });
}
