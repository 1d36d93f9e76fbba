import { Text } from '@mantine/core';
import type { NoteOut } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { type NotedRun, numbered } from '@/domain/notes';
import { AddNoteButton } from './AddNoteButton';
import { NoteList } from './NoteList';

interface Props {
  run: NotedRun;
  notes: readonly NoteOut[];
  mayWrite: boolean;
}

/** All notes on a run, its trials and moments of them, to which the marks in its charts lead. */
export function NotesPanel({ run, notes, mayWrite }: Props) {
  return (
    <Panel title="Notes" actions={mayWrite && <AddNoteButton run={run} />}>
      {notes.length > 0 ? (
        <NoteList run={run} notes={numbered(notes)} hasAnchors />
      ) : (
        <Text size="sm" c="var(--text-dim)">
          Nobody has written a note on this run yet.
          {mayWrite &&
            ' A note may be on the whole run, on a trial, or on a moment of one: click there in a chart.'}
        </Text>
      )}
    </Panel>
  );
}
