import { unwrap } from '../client';
import { addNote, type NoteCreate } from '../generated';
import { useNoteChange } from './useNoteChange';

/** Write a note on a run, on one of its trials, or on a moment of one. */
export function useAddNote(runId: string) {
  return useNoteChange(runId, {
    meta: { errorShownInPlace: true },
    mutationFn: (body: NoteCreate) => unwrap(addNote({ path: { run_id: runId }, body, throwOnError: true })),
  });
}
