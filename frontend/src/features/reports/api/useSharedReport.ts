import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getSharedReport } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** A report by its share link, without an account. */
export function useSharedReport(token: string) {
  return useQuery({
    queryKey: queryKeys.sharedReport(token),
    queryFn: ({ signal }) => unwrap(getSharedReport({ path: { token }, signal, throwOnError: true })),
  });
}
