import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { previewTemplate } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import type { ParameterValues } from '../parameters';

/** What these parameters would run. A POST by its body only: it changes nothing, so it is a query here. */
export function usePreview(key: string, parameters: ParameterValues, enabled: boolean) {
  return useQuery({
    queryKey: queryKeys.preview(key, parameters),
    queryFn: ({ signal }) =>
      unwrap(previewTemplate({ path: { key }, body: { parameters }, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    enabled,
  });
}
