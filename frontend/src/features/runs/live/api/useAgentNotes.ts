import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '@/api/queryKeys';

export interface AgentNote {
  trial_id: string;
  arm?: string;
  block?: number;
  severity: 'info' | 'warning' | 'error';
  code: string;
  message: string;
}

/** What agents said of the run so far. Only the live stream brings them; it repeats those of the current trial on opening. */
export function useAgentNotes(runId: string) {
  return useQuery<AgentNote[]>({
    queryKey: queryKeys.agentNotes(runId),
    queryFn: ({ client }) => client.getQueryData<AgentNote[]>(queryKeys.agentNotes(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** `notes` with one more, unless it was told before. */
export function withNote(notes: readonly AgentNote[], note: AgentNote): AgentNote[] {
  const told = notes.some(
    (known) => known.trial_id === note.trial_id && known.code === note.code && known.message === note.message,
  );
  return told ? [...notes] : [...notes, note];
}
