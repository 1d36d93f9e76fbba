import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { signInMethods } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** How people sign in here. */
export function useSignInMethods() {
  return useQuery({
    queryKey: queryKeys.signInMethods,
    queryFn: ({ signal }) => unwrap(signInMethods({ signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
