import { t } from '@lingui/core/macro';
import { Button, Skeleton } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconNotes } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { lazyPart, openPart } from '@/components/ui/lazyPart';
import { type NotedRun, type NotePlace, type NumberedNote, placeWords } from '@/domain/notes';

const load = () => import('./NoteForm');
const AddNote = lazyPart(() => load().then(({ AddNote }) => AddNote));
const EditNote = lazyPart(() => load().then(({ EditNote }) => EditNote));

/** A click beside it keeps what was written. */
function openDialog(title: string, content: (close: () => void) => ReactNode): void {
  const form = content(() => modals.close(id));
  const children = <Suspense fallback={<Skeleton height={240} />}>{form}</Suspense>;
  const id = modals.open({ size: 'lg', closeOnClickOutside: false, title, children });
}

/** `place`: what is asked about first; a moment of a chart is rounded to hundredths of a second. */
export function openAddNote(run: NotedRun, place: NotePlace = {}): void {
  const at = place.t == null ? null : Math.round(place.t * 100) / 100;
  const form = (close: () => void) => <AddNote run={run} place={{ ...place, t: at }} onDone={close} />;
  void openPart(load, () => openDialog(t`Add a note`, form));
}

interface AddNoteButtonProps {
  run: NotedRun;
  place?: NotePlace;
  label?: string;
}

export function AddNoteButton({ run, place, label = t`Add a note` }: AddNoteButtonProps) {
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

export function openEditNote(run: NotedRun, note: NumberedNote): void {
  const { number } = note;
  const place = placeWords(run, note);
  const form = (close: () => void) => <EditNote note={note} onDone={close} />;
  void openPart(load, () => openDialog(t`Edit note ${number}: ${place}`, form));
}
