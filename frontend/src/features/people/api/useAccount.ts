import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getAccount } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** One account. */
export function useAccount(id: string) {
  return useQuery({
    queryKey: queryKeys.account(id),
    queryFn: ({ signal }) => unwrap(getAccount({ path: { account_id: id }, signal, throwOnError: true })),
  });
}
