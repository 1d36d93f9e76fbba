import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { previewDefinition } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/**
 * What a definition would run and what is wrong with it. A POST by its body only: it changes nothing, so it is a
 * query here, and one that is overtaken by a newer definition is aborted.
 */
export function usePreviewDefinition(definition: Record<string, unknown>) {
  return useQuery({
    queryKey: queryKeys.definitionPreview(definition),
    queryFn: ({ signal }) => unwrap(previewDefinition({ body: { definition }, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    gcTime: 60_000,
  });
}
