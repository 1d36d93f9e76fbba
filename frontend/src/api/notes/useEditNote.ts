import { unwrap } from '../client';
import { editNote } from '../generated';
import { useNoteChange } from './useNoteChange';

/** Say a note in other words. */
export function useEditNote(runId: string, noteId: string) {
  return useNoteChange(runId, {
    meta: { errorShownInPlace: true },
    mutationFn: (text: string) =>
      unwrap(editNote({ path: { note_id: noteId }, body: { text }, throwOnError: true })),
  });
}
