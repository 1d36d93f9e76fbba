import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type FitRequest, fitTemplate } from '@/api/generated';

/** Whether these hosts have what the template needs. A POST by its body only: it changes nothing, so it is a query. */
export function useFit(key: string, body: FitRequest | null) {
  return useQuery({
    queryKey: ['fit', key, body],
    queryFn: ({ signal }) =>
      unwrap(fitTemplate({ path: { key }, body: body ?? {}, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    enabled: body !== null,
  });
}
