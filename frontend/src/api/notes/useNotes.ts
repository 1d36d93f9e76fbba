import { queryOptions, useQuery } from '@tanstack/react-query';
import { unwrap } from '../client';
import { listNotes } from '../generated';
import { queryKeys } from '../queryKeys';

export function notesQuery(runId: string) {
  return queryOptions({
    queryKey: queryKeys.notes(runId),
    queryFn: ({ signal }) => unwrap(listNotes({ path: { run_id: runId }, signal, throwOnError: true })),
  });
}

/** What people wrote of a run, its trials and moments of them, the oldest first. */
export function useNotes(runId: string) {
  return useQuery(notesQuery(runId));
}
