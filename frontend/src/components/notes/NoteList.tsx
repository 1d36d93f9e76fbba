import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { allOf } from '@/api/client';
import { deleteNoteMutation, type NoteOut } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { Dim } from '@/components/ui/Dim';
import { Markdown } from '@/components/ui/Markdown';
import { type NotedRun, type NumberedNote, noteAnchor, numbered, placeWords } from '@/domain/notes';
import { formatDateTime } from '@/lib/time';
import classes from './NoteList.module.css';
import { openEditNote } from './openNote';

const where = () =>
  t`A note may be on the whole run, on a trial, or on a moment of one: click there in a chart.`;

interface RunNoteListProps {
  run: NotedRun;
  notes: readonly NoteOut[];
  mayWrite: boolean;
}

/** All notes on a run, its trials and moments of them, to which the marks in its charts lead. */
export function RunNoteList({ run, notes, mayWrite }: RunNoteListProps) {
  if (notes.length > 0) return <NoteList run={run} notes={numbered(notes)} hasAnchors />;
  return (
    <Dim>
      {t`Nobody has written a note on this run yet.`}
      {mayWrite && ` ${where()}`}
    </Dim>
  );
}

function Actions({ run, note }: { run: NotedRun; note: NumberedNote }) {
  const remove = useMutation({
    ...deleteNoteMutation(),
    meta: { refetches: [allOf('notes'), allOf('trends')] },
  });
  const { number } = note;
  const ask = () =>
    askFirst({
      title: t`Delete note ${number}?`,
      text: t`It is deleted for everybody. Links that show it go on showing it until they are refreshed. There is no undo.`,
      confirm: t`Delete the note`,
      onConfirm: () => remove.mutate({ path: { note_id: note.id } }),
    });
  return (
    <span className={`${classes.actions} no-print`}>
      <ActionIcon aria-label={t`Edit note ${number}`} onClick={() => openEditNote(run, note)}>
        <IconPencil size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={t`Delete note ${number}`} loading={remove.isPending} onClick={ask}>
        <IconTrash size={14} aria-hidden />
      </ActionIcon>
    </span>
  );
}

function Written({ note: { author, created_at, edited_at } }: { note: NumberedNote }) {
  const written = <time dateTime={created_at}>{formatDateTime(created_at)}</time>;
  const edited = edited_at && formatDateTime(edited_at);
  return (
    <span className={classes.written}>
      {author && `${author}, `}
      {edited ? (
        <Trans>
          {written}, edited {edited}
        </Trans>
      ) : (
        written
      )}
    </span>
  );
}

interface Props {
  run: NotedRun;
  notes: readonly NumberedNote[];
  /** Whether the marks of charts lead to these: to one list of a page. */
  hasAnchors?: boolean;
}

export function NoteList({ run, notes, hasAnchors = false }: Props) {
  return (
    <ol className={classes.notes} aria-label={t`Notes`}>
      {notes.map((note) => (
        <li
          key={note.id}
          id={hasAnchors ? noteAnchor(note.id) : undefined}
          tabIndex={hasAnchors ? -1 : undefined}
        >
          <span className={classes.number}>{note.number}</span>
          <div>
            <div className={classes.head}>
              <b>{placeWords(run, note)}</b>
              <Written note={note} />
              {note.may_change && <Actions run={run} note={note} />}
            </div>
            <Markdown text={note.text} />
          </div>
        </li>
      ))}
    </ol>
  );
}
