import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listTokens } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** One's own API tokens, without their secrets. */
export function useTokens() {
  return useQuery({
    queryKey: queryKeys.tokens,
    queryFn: ({ signal }) => unwrap(listTokens({ signal, throwOnError: true })),
  });
}
