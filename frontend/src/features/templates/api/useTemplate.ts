import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getTemplate, getTemplateQueryKey } from '@/api/generated';

export function useTemplate(key: string) {
  return useQuery({
    queryKey: getTemplateQueryKey({ path: { key } }),
    queryFn: ({ signal }) => unwrap(getTemplate({ path: { key }, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
