import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { NoteOut } from '@/api/generated';
import { type NotedRun, numbered } from '@/domain/notes';
import { NoteList } from './NoteList';

const where = () =>
  t`A note may be on the whole run, on a trial, or on a moment of one: click there in a chart.`;

interface Props {
  run: NotedRun;
  notes: readonly NoteOut[];
  mayWrite: boolean;
}

/** All notes on a run, its trials and moments of them, to which the marks in its charts lead. */
export function RunNoteList({ run, notes, mayWrite }: Props) {
  if (notes.length > 0) return <NoteList run={run} notes={numbered(notes)} hasAnchors />;
  return (
    <Text size="sm" c="var(--text-dim)">
      {t`Nobody has written a note on this run yet.`}
      {mayWrite && ` ${where()}`}
    </Text>
  );
}
