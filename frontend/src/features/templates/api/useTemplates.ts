import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listTemplates } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useTemplates() {
  return useQuery({
    queryKey: queryKeys.templates,
    queryFn: ({ signal }) => unwrap(listTemplates({ signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
