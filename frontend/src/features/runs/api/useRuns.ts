import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listRuns } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import type { RunQuery } from '../useRunFilter';

export const PAGE_SIZE = 50;

/** A page of the runs that match; asked again now and then, as states change. */
export function useRuns(filter: RunQuery, page: number) {
  const query = { ...filter, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  return useQuery({
    queryKey: queryKeys.runList(query),
    queryFn: ({ signal }) => unwrap(listRuns({ query, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}
