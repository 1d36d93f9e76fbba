import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listExperiments } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export const PAGE_SIZE = 50;

export interface ExperimentFilter {
  search: string;
  archived: boolean;
  page: number;
}

/** A page of experiments; asked again now and then, as their last runs go on. */
export function useExperiments({ search, archived, page }: ExperimentFilter) {
  const query = { search, archived, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  return useQuery({
    queryKey: queryKeys.experimentList(query),
    queryFn: ({ signal }) => unwrap(listExperiments({ query, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}
