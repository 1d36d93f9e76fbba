import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getSharedArtefacts, getTrialArtefacts } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { useShareToken } from '@/api/sharing/access';

/** The kept files of a trial. */
export function useTrialArtefacts(trialId: string) {
  const token = useShareToken();
  return useQuery({
    queryKey: token
      ? [...queryKeys.sharedReport(token), ...queryKeys.trialArtefacts(trialId)]
      : queryKeys.trialArtefacts(trialId),
    queryFn: ({ signal }) =>
      token
        ? unwrap(getSharedArtefacts({ path: { token, trial_id: trialId }, signal, throwOnError: true }))
        : unwrap(getTrialArtefacts({ path: { trial_id: trialId }, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
