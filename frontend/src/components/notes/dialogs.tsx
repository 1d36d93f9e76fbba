import { t } from '@lingui/core/macro';
import { modals } from '@mantine/modals';
import { type NotedRun, type NumberedNote, placeWords } from '@/domain/notes';
import { AddNote, type NotePlace } from './AddNote';
import { EditNote } from './EditNote';

/** A click beside it keeps what was written. */
const DIALOG = { size: 'lg', closeOnClickOutside: false } as const;

/** `place`: what is asked about first; a moment of a chart is rounded to hundredths of a second. */
export function openAddNote(run: NotedRun, place: NotePlace = {}): void {
  const at = place.t == null ? null : Math.round(place.t * 100) / 100;
  const id = modals.open({
    ...DIALOG,
    title: t`Add a note`,
    children: <AddNote run={run} place={{ ...place, t: at }} onDone={() => modals.close(id)} />,
  });
}

export function openEditNote(run: NotedRun, note: NumberedNote): void {
  const { number } = note;
  const place = placeWords(run, note);
  const id = modals.open({
    ...DIALOG,
    title: t`Edit note ${number}: ${place}`,
    children: <EditNote runId={run.id} note={note} onDone={() => modals.close(id)} />,
  });
}
