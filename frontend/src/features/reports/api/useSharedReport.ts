import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getSharedReport } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

const OFTEN_MS = 10_000;

/** A report by its share link, without an account. It stays as it is, unless its run goes on. */
export function useSharedReport(token: string) {
  return useQuery({
    queryKey: queryKeys.sharedReport(token),
    queryFn: ({ signal }) => unwrap(getSharedReport({ path: { token }, signal, throwOnError: true })),
    refetchInterval: ({ state }) => (state.data?.as_of === null ? OFTEN_MS : false),
  });
}
