import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getTemplate } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useTemplate(key: string) {
  return useQuery({
    queryKey: queryKeys.template(key),
    queryFn: ({ signal }) => unwrap(getTemplate({ path: { key }, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
