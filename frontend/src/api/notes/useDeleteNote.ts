import { unwrap } from '../client';
import { deleteNote } from '../generated';
import { useNoteChange } from './useNoteChange';

export function useDeleteNote(runId: string) {
  return useNoteChange(runId, {
    mutationFn: (noteId: string) => unwrap(deleteNote({ path: { note_id: noteId }, throwOnError: true })),
  });
}
