import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '@/api/queryKeys';

export interface RunNote {
  trial_id: string;
  arm?: string;
  block?: number;
  severity: 'info' | 'warning' | 'error';
  code: string;
  message: string;
}

/** Notes of the run so far. Only the live stream brings them; it repeats those of the current trial on opening. */
export function useRunNotes(runId: string) {
  return useQuery<RunNote[]>({
    queryKey: queryKeys.runNotes(runId),
    queryFn: ({ client }) => client.getQueryData<RunNote[]>(queryKeys.runNotes(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** `notes` with one more, unless it was told before. */
export function withNote(notes: readonly RunNote[], note: RunNote): RunNote[] {
  const told = notes.some(
    (known) => known.trial_id === note.trial_id && known.code === note.code && known.message === note.message,
  );
  return told ? [...notes] : [...notes, note];
}
