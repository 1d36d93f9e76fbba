import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import {
  type ChosenWindow,
  chooseTrialWindow,
  chooseWindow,
  restoreTrialWindow,
  restoreWindow,
} from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** `trialId`: `null` for all trials of the run. `window`: `null` to return to the planned one. */
export interface WindowRequest {
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
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: WindowRequest) => send(runId, request),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: queryKeys.report(runId) }),
        queryClient.invalidateQueries({ queryKey: queryKeys.runs }),
      ]),
  });
}
