import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { previewDefinition } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** What a YAML document holds and what is wrong with it, by its lines. */
export function usePreviewYaml(yaml: string) {
  return useQuery({
    queryKey: queryKeys.yamlPreview(yaml),
    queryFn: ({ signal }) => unwrap(previewDefinition({ body: { yaml }, signal, throwOnError: true })),
    enabled: yaml.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}
