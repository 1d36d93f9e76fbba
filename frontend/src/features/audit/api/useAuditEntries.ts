import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ListAuditEntriesData, listAuditEntries } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export type AuditQuery = Omit<NonNullable<ListAuditEntriesData['query']>, 'before' | 'limit'>;

const PAGE_SIZE = 50;

/** Entries, newest first, page by page. */
export function useAuditEntries(filter: AuditQuery) {
  return useInfiniteQuery({
    queryKey: queryKeys.auditEntries(filter),
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        listAuditEntries({
          query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== null && { before: pageParam }) },
          signal,
          throwOnError: true,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}

/** Where the matching entries can be downloaded. */
export function exportAddress(filter: AuditQuery, format: 'csv' | 'json'): string {
  const { act = [], ...rest } = filter;
  const params = new URLSearchParams({ ...(rest as Record<string, string>), format });
  for (const one of act) params.append('act', one);
  return `/api/v1/audit/export?${params}`;
}
