import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { compareRuns } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import type { Asked } from '../useAsked';

/** Runs compared; asked for again only if the address asks for something else, as finished runs do not change. */
export function useComparison({ runs, arms, baseline, factors }: Asked) {
  const query = { runs, arms, baseline: baseline || null, factor: factors };
  return useQuery({
    queryKey: queryKeys.comparison(query),
    queryFn: ({ signal }) => unwrap(compareRuns({ query, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    enabled: runs.length > 1,
  });
}
