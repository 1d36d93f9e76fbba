import { useQuery } from '@tanstack/react-query';
import { itemsOf, unwrap } from '@/api/client';
import { listTemplates, listTemplatesQueryKey } from '@/api/generated';

export function useTemplates() {
  return useQuery({
    queryKey: listTemplatesQueryKey(),
    queryFn: ({ signal }) => unwrap(listTemplates({ signal, throwOnError: true })),
    select: itemsOf,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
