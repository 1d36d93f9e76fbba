import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { allOf, unwrap } from './client';
import {
  addBlocksMutation,
  type CalibrationRequest,
  deleteRunMutation,
  getReportOptions,
  getRunQueryKey,
  listRunChoicesOptions,
  type RunCreate,
  type RunDetail,
  starRun,
  startCalibration,
  startRun,
  unstarRun,
} from './generated';

/** The templates, hosts, versions of nginx, people and tags that runs can be filtered by. */
export function useRunChoices() {
  return useQuery({ ...listRunChoicesOptions(), staleTime: 60_000 });
}

const UNFINISHED = new Set(['queued', 'running']);

export const reportQuery = (runId: string) => getReportOptions({ path: { run_id: runId } });

/** The report of a run. It is polled while the run goes on, as trials are added. */
export function useReport(runId: string) {
  return useQuery({
    ...reportQuery(runId),
    refetchInterval: ({ state }) => (state.data && UNFINISHED.has(state.data.run.state) ? 10_000 : false),
  });
}

/** Pages that show the run itself are left to whoever deletes it: asking for it again would be answered with 404. */
const OWN_QUERY: { _id: string } = { _id: 'getRun' };

export function useDeleteRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    ...deleteRunMutation(),
    meta: { errorShownInPlace: true },
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: getRunQueryKey({ path: { run_id: id } }), type: 'inactive' });
      void queryClient.invalidateQueries({ queryKey: allOf('schedules') });
      return queryClient.invalidateQueries({
        queryKey: allOf('runs'),
        predicate: ({ queryKey }) => (queryKey[0] as typeof OWN_QUERY)._id !== OWN_QUERY._id,
      });
    },
  });
}

/** Let a completed run go on: the pages that show it do so as it is then. */
export function useAddBlocks() {
  const queryClient = useQueryClient();
  return useMutation({
    ...addBlocksMutation(),
    meta: { errorShownInPlace: true },
    onSuccess: (run: RunDetail) => {
      queryClient.setQueryData(getRunQueryKey({ path: { run_id: run.id } }), run);
      return queryClient.invalidateQueries({ queryKey: allOf('runs') });
    },
  });
}

export function useStarRun(id: string) {
  return useMutation({
    mutationFn: (starred: boolean) => {
      const request = { path: { run_id: id }, throwOnError: true as const };
      return unwrap(starred ? starRun(request) : unstarRun(request));
    },
    meta: { refetches: [allOf('runs')] },
  });
}

interface Start<Body> {
  experimentId: string;
  body: Body;
}

type Send<Body> = (request: {
  path: { experiment_id: string };
  body: Body;
  throwOnError: true;
}) => Promise<{ data: RunDetail }>;

/** The page of a new run has it at once; lists of runs and experiments are asked for again. */
function useQueue<Body>(send: Send<Body>, errorShownInPlace: boolean) {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace },
    mutationFn: ({ experimentId, body }: Start<Body>) =>
      unwrap(send({ path: { experiment_id: experimentId }, body, throwOnError: true })),
    onSuccess: (run) => {
      queryClient.setQueryData(getRunQueryKey({ path: { run_id: run.id } }), run);
      void queryClient.invalidateQueries({ queryKey: allOf('experiments') });
      void queryClient.invalidateQueries({ queryKey: allOf('runs') });
    },
  });
}

/** Queue a run that compares one arm of the experiment with itself. */
export const useStartCalibration = ({ errorShownInPlace = false } = {}) =>
  useQueue<CalibrationRequest>(startCalibration, errorShownInPlace);

/** Queue a run of an experiment's latest version. A form that shows refusals itself says so. */
export const useStartRun = ({ errorShownInPlace = false } = {}) =>
  useQueue<RunCreate>(startRun, errorShownInPlace);
