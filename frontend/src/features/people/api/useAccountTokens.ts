import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listAccountTokens } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Somebody's API tokens, without their secrets. */
export function useAccountTokens(id: string) {
  return useQuery({
    queryKey: queryKeys.accountTokens(id),
    queryFn: ({ signal }) =>
      unwrap(listAccountTokens({ path: { account_id: id }, signal, throwOnError: true })),
  });
}
