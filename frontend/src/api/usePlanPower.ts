import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { getPlanPower, type PowerRequest } from './generated';
import { queryKeys } from './queryKeys';

/** What a run would find. A POST by its body only: it changes nothing, so it is a query. */
export function usePlanPower(experimentId: string, body: PowerRequest | null) {
  return useQuery({
    queryKey: queryKeys.planPower(experimentId, body),
    queryFn: ({ signal }) =>
      unwrap(
        getPlanPower({ path: { experiment_id: experimentId }, body: body ?? {}, signal, throwOnError: true }),
      ),
    placeholderData: keepPreviousData,
    enabled: body !== null,
  });
}
