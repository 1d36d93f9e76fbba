import { t } from '@lingui/core/macro';
import type { Report } from '@/api/generated';
import { AddNoteButton } from '@/components/notes/NoteForm';
import { RunNoteList } from '@/components/notes/NoteList';
import { Section } from './contents/Section';
import { notedRun, useMayWrite, useReportNotes } from './notes';

/** Notes on the run. Renders nothing where there are none and the reader cannot write any. */
export function NotesSection({ report }: { report: Report }) {
  const notes = useReportNotes(report);
  const mayWrite = useMayWrite();
  if (notes.length === 0 && !mayWrite) return null;
  const run = notedRun(report);
  return (
    <Section id="notes" title={t`Notes`} actions={mayWrite && <AddNoteButton run={run} />}>
      <RunNoteList run={run} notes={notes} mayWrite={mayWrite} />
    </Section>
  );
}
