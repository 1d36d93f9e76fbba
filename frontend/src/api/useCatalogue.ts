import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { getCatalogue } from './generated';
import { queryKeys } from './queryKeys';

/** What can be charted: titles, units and descriptions. It changes with the backend's version only. */
export function useCatalogue() {
  return useQuery({
    queryKey: queryKeys.catalogue,
    queryFn: ({ signal }) => unwrap(getCatalogue({ signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
