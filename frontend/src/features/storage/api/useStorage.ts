import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getStorage } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** What the database takes on its disk. */
export function useStorage() {
  return useQuery({
    queryKey: queryKeys.storage,
    queryFn: ({ signal }) => unwrap(getStorage({ signal, throwOnError: true })),
    refetchInterval: 10_000,
  });
}
