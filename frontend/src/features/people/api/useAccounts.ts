import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listAccounts } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useAccounts() {
  return useQuery({
    queryKey: queryKeys.accounts,
    queryFn: ({ signal }) => unwrap(listAccounts({ signal, throwOnError: true })),
  });
}
