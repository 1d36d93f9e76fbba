import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import {
  createSchedule,
  listSchedules,
  removeSchedule,
  type ScheduleCreate,
  updateSchedule,
} from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** When an experiment runs by itself. Looked at again now and then, since runs start without the reader. */
export function useSchedules(experimentId: string) {
  return useQuery({
    queryKey: queryKeys.schedules(experimentId),
    queryFn: ({ signal }) =>
      unwrap(listSchedules({ query: { experiment_id: experimentId }, signal, throwOnError: true })),
    refetchInterval: 30_000,
  });
}

function useRead(experimentId: string) {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: queryKeys.schedules(experimentId) });
}

export function useCreateSchedule(experimentId: string) {
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ScheduleCreate) =>
      unwrap(createSchedule({ path: { experiment_id: experimentId }, body, throwOnError: true })),
    onSuccess: useRead(experimentId),
  });
}

export function usePauseSchedule(experimentId: string) {
  return useMutation({
    mutationFn: ({ id, paused }: { id: string; paused: boolean }) =>
      unwrap(updateSchedule({ path: { schedule_id: id }, body: { paused }, throwOnError: true })),
    onSuccess: useRead(experimentId),
  });
}

export function useRemoveSchedule(experimentId: string) {
  return useMutation({
    mutationFn: (id: string) => unwrap(removeSchedule({ path: { schedule_id: id }, throwOnError: true })),
    onSuccess: useRead(experimentId),
  });
}
