import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getSharedLatencyMaps, getTrialLatencyMaps } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { useShareToken } from '@/api/sharing/access';

/** How many requests of a trial took how long, over its time. */
export function useLatencyMaps(trialId: string) {
  const token = useShareToken();
  return useQuery({
    queryKey: token
      ? [...queryKeys.sharedReport(token), ...queryKeys.latencyMaps(trialId)]
      : queryKeys.latencyMaps(trialId),
    queryFn: ({ signal }) =>
      token
        ? unwrap(getSharedLatencyMaps({ path: { token, trial_id: trialId }, signal, throwOnError: true }))
        : unwrap(getTrialLatencyMaps({ path: { trial_id: trialId }, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
