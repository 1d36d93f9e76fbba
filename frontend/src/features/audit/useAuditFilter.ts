import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ListAuditEntriesData, listAuditEntries } from '@/api/generated';
import { useAddress } from '@/lib/useAddress';
import { isAct } from './acts';

export type AuditQuery = Omit<NonNullable<ListAuditEntriesData['query']>, 'start' | 'limit'>;

const PAGE_SIZE = 50;

/** Entries, newest first, page by page. */
export function useAuditEntries(filter: AuditQuery) {
  return useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        listAuditEntries({
          query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== null && { start: pageParam }) },
          signal,
          throwOnError: true,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}

/** The address from which the matching entries can be downloaded. */
export function exportAddress(filter: AuditQuery, format: 'csv' | 'json'): string {
  const { act = [], ...rest } = filter;
  const params = new URLSearchParams({ ...(rest as Record<string, string>), format });
  for (const one of act) params.append('act', one);
  return `/api/v1/audit/export?${params}`;
}

const FIELDS = ['actor', 'act', 'object', 'from', 'to'] as const;
export type FilterField = (typeof FIELDS)[number];
type Filter = Record<FilterField, string>;

/** The start of a day on the reader's clock; none for what is no date. */
function startOf(date: string, daysLater = 0): string | undefined {
  const [year, month, day] = date.split('-').map(Number);
  if (!year || !month || !day) return undefined;
  return new Date(year, month - 1, day + daysLater).toISOString();
}

/** The query for the server; both dates are included. */
export function asQuery({ actor, act, object, from, to }: Filter): AuditQuery {
  const since = startOf(from);
  const until = startOf(to, 1);
  return {
    ...(actor && { actor }),
    ...(isAct(act) && { act: [act] }),
    ...(object && { object }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** The filter lives in the address, so that it can be passed on. */
export function useAuditFilter() {
  const [params, change] = useAddress();
  const filter = Object.fromEntries(FIELDS.map((field) => [field, params.get(field) ?? ''])) as Filter;
  const set = (field: FilterField, value: string) => change({ [field]: value });
  const clear = () => change(Object.fromEntries(FIELDS.map((field) => [field, null])));
  return { filter, set, clear, isFiltered: FIELDS.some((field) => filter[field] !== '') };
}
