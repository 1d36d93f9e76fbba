import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { allOf, itemsOf, unwrap } from '@/api/client';
import {
  getProfile,
  getProfileDifference,
  getProfileDifferenceQueryKey,
  getProfileQueryKey,
  getProfilesPossibleOptions,
  getReportQueryKey,
  getRunOptions,
  getSharedProfile,
  getSharedProfileDifference,
  getSharedProfileDifferenceQueryKey,
  getSharedProfileQueryKey,
  listPhases,
  listPhasesQueryKey,
  listProfiles,
  listProfilesQueryKey,
  listSharedPhases,
  listSharedPhasesQueryKey,
  listSharedProfiles,
  listSharedProfilesQueryKey,
  profileRunMutation,
  type Report,
} from '@/api/generated';
import { IN_A_FILE, useShareToken } from '@/api/shareToken';

const FOR_EVER = Number.POSITIVE_INFINITY;

/** The arms of a run that were profiled. */
export function useProfiles(runId: string) {
  const token = useShareToken();
  return useQuery({
    queryKey: token
      ? listSharedProfilesQueryKey({ path: { token } })
      : listProfilesQueryKey({ path: { run_id: runId } }),
    queryFn: ({ signal }) =>
      token
        ? unwrap(listSharedProfiles({ path: { token }, signal, throwOnError: true }))
        : unwrap(listProfiles({ path: { run_id: runId }, signal, throwOnError: true })),
    select: itemsOf,
  });
}

/** Where the time of requests goes, by arm, against the baseline. */
export function usePhases({ run: { id: run_id }, analysis: { baseline } }: Report) {
  const token = useShareToken();
  const query = { against: baseline };
  return useQuery({
    queryKey: token
      ? listSharedPhasesQueryKey({ path: { token }, query })
      : listPhasesQueryKey({ path: { run_id }, query }),
    queryFn: ({ signal }) =>
      token
        ? unwrap(listSharedPhases({ path: { token }, query, signal, throwOnError: true }))
        : unwrap(listPhases({ path: { run_id }, query, signal, throwOnError: true })),
    select: itemsOf,
    staleTime: FOR_EVER,
  });
}

/** The stacks of an arm; of no arm, never. */
export function useProfile(runId: string, arm_key: string) {
  const token = useShareToken();
  return useQuery({
    queryKey: token
      ? getSharedProfileQueryKey({ path: { token, arm_key } })
      : getProfileQueryKey({ path: { run_id: runId, arm_key } }),
    queryFn: arm_key
      ? ({ signal }) =>
          token
            ? unwrap(getSharedProfile({ path: { token, arm_key }, signal, throwOnError: true }))
            : unwrap(getProfile({ path: { run_id: runId, arm_key }, signal, throwOnError: true }))
      : skipToken,
    staleTime: FOR_EVER,
  });
}

/** What may be said of the functions of an arm against those of another; of no other, never. A file has it for the
 * baseline and each other arm: `null` for others there. */
export function useProfileDifference(runId: string, arm_key: string, against: string) {
  const token = useShareToken();
  const query = { against };
  return useQuery({
    queryKey: token
      ? getSharedProfileDifferenceQueryKey({ path: { token, arm_key }, query })
      : getProfileDifferenceQueryKey({ path: { run_id: runId, arm_key }, query }),
    queryFn: against
      ? ({ signal }) => {
          if (token === IN_A_FILE) return null;
          return token
            ? unwrap(
                getSharedProfileDifference({ path: { token, arm_key }, query, signal, throwOnError: true }),
              )
            : unwrap(
                getProfileDifference({ path: { run_id: runId, arm_key }, query, signal, throwOnError: true }),
              );
        }
      : skipToken,
    staleTime: FOR_EVER,
  });
}

/** Whether the reader may have the arms profiled: of a run of theirs that is over and was measured here. */
export function useMayProfile({ run: { id } }: Report): boolean {
  const isSignedIn = useShareToken() === null;
  const { data: run } = useQuery({ ...getRunOptions({ path: { run_id: id } }), enabled: isSignedIn });
  return (run?.may_change && run.state === 'completed' && run.imported === null && !run.raw_removed) === true;
}

/** Why they cannot be profiled now; `null` where they can. Asked for by who may have it done. */
export const useWhyUnprofiled = (run_id: string, enabled: boolean) =>
  useQuery({ ...getProfilesPossibleOptions({ path: { run_id } }), enabled, select: ({ reason }) => reason });

/** Let the run go on with trials that profile its arms. */
export const useStartProfile = (runId: string) =>
  useMutation({
    ...profileRunMutation(),
    meta: {
      errorShownInPlace: true,
      refetches: [getReportQueryKey({ path: { run_id: runId } }), allOf('runs')],
    },
  });
