import { useMutation, useQuery } from '@tanstack/react-query';
import { allOf, itemsOf, unwrap } from '@/api/client';
import {
  type ChosenWindow,
  chooseTrialWindow,
  chooseWindow,
  getReportQueryKey,
  getSharedArtefacts,
  getSharedArtefactsQueryKey,
  getSharedLatencyMaps,
  getSharedLatencyMapsQueryKey,
  getSharedReportOptions,
  getTrialArtefacts,
  getTrialArtefactsQueryKey,
  getTrialLatencyMaps,
  getTrialLatencyMapsQueryKey,
  restoreTrialWindow,
  restoreWindow,
} from '@/api/generated';
import { useShareToken } from '@/api/shareToken';

/** The kept files of a trial. */
export function useTrialArtefacts(trialId: string) {
  const token = useShareToken();
  return useQuery({
    queryKey: token
      ? getSharedArtefactsQueryKey({ path: { token, trial_id: trialId } })
      : getTrialArtefactsQueryKey({ path: { trial_id: trialId } }),
    queryFn: ({ signal }) =>
      token
        ? unwrap(getSharedArtefacts({ path: { token, trial_id: trialId }, signal, throwOnError: true }))
        : unwrap(getTrialArtefacts({ path: { trial_id: trialId }, signal, throwOnError: true })),
    select: itemsOf,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Counts of a trial's requests by latency, over time. */
export function useLatencyMaps(trialId: string) {
  const token = useShareToken();
  return useQuery({
    queryKey: token
      ? getSharedLatencyMapsQueryKey({ path: { token, trial_id: trialId } })
      : getTrialLatencyMapsQueryKey({ path: { trial_id: trialId } }),
    queryFn: ({ signal }) =>
      token
        ? unwrap(getSharedLatencyMaps({ path: { token, trial_id: trialId }, signal, throwOnError: true }))
        : unwrap(getTrialLatencyMaps({ path: { trial_id: trialId }, signal, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** `trialId`: `null` for all trials of the run. `window`: `null` to return to the planned one. */
interface WindowRequest {
  trialId: string | null;
  window: ChosenWindow | null;
  reason: string;
}

function send(runId: string, { trialId, window, reason }: WindowRequest) {
  const ofRun = { path: { run_id: runId }, throwOnError: true as const };
  if (trialId === null) {
    return window === null
      ? unwrap(restoreWindow(ofRun))
      : unwrap(chooseWindow({ ...ofRun, body: { ...window, reason: reason || null } }));
  }
  const ofTrial = { path: { trial_id: trialId }, throwOnError: true as const };
  return window === null
    ? unwrap(restoreTrialWindow(ofTrial))
    : unwrap(chooseTrialWindow({ ...ofTrial, body: { ...window, reason } }));
}

/** Choose another measured window: everything in the report is computed again. */
export function useChooseWindow(runId: string) {
  return useMutation({
    mutationFn: (request: WindowRequest) => send(runId, request),
    meta: { refetches: [getReportQueryKey({ path: { run_id: runId } }), allOf('runs')] },
  });
}

const OFTEN_MS = 10_000;

/** A report by its share link, without an account. It stays as it is, unless its run goes on. */
export function useSharedReport(token: string) {
  return useQuery({
    ...getSharedReportOptions({ path: { token } }),
    refetchInterval: ({ state }) => (state.data?.as_of === null ? OFTEN_MS : false),
  });
}
