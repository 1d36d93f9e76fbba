import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { IconNotes } from '@tabler/icons-react';
import type { NotedRun } from '@/domain/notes';
import type { NotePlace } from './NoteForm';
import { openAddNote } from './NoteForm';

interface Props {
  run: NotedRun;
  place?: NotePlace;
  label?: string;
}

export function AddNoteButton({ run, place, label = t`Add a note` }: Props) {
  return (
    <Button
      className="no-print"
      variant="default"
      size="compact-sm"
      leftSection={<IconNotes size={14} aria-hidden />}
      onClick={() => openAddNote(run, place)}
    >
      {label}
    </Button>
  );
}
