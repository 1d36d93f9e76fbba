import { t } from '@lingui/core/macro';
import type { NoteOut } from '@/api/generated';
import { useEditNote } from '@/api/notes/useEditNote';
import { NoteForm } from './NoteForm';

interface Props {
  runId: string;
  note: NoteOut;
  onDone: () => void;
}

export function EditNote({ runId, note, onDone }: Props) {
  const edit = useEditNote(runId, note.id);
  return (
    <NoteForm
      initial={note.text}
      submit={t`Save`}
      isSending={edit.isPending}
      error={edit.error}
      onSubmit={(text) => edit.mutate(text, { onSuccess: onDone })}
      onCancel={onDone}
    />
  );
}
