import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { previewTemplate } from '@/api/generated';
import type { ParameterValues } from '../form/parameters';

/** A POST by its body only: it changes nothing, so it is a query here. */
const previewQuery = (key: string, parameters: ParameterValues) =>
  queryOptions({
    queryKey: ['preview', key, parameters],
    queryFn: ({ signal }) =>
      unwrap(previewTemplate({ path: { key }, body: { parameters }, signal, throwOnError: true })),
    staleTime: 5 * 60_000,
  });

/** What these parameters would run. */
export function usePreview(key: string, parameters: ParameterValues, enabled: boolean) {
  return useQuery({ ...previewQuery(key, parameters), placeholderData: keepPreviousData, enabled });
}

/** How long each of several forms would take, in seconds; null where that is not known (yet). */
export function useTotals(key: string, forms: readonly ParameterValues[]): (number | null)[] {
  return useQueries({
    queries: forms.map((parameters) => previewQuery(key, parameters)),
    combine: (results) => results.map(({ data }) => data?.plan?.total_s ?? null),
  });
}
