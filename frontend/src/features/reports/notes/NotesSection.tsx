import { t } from '@lingui/core/macro';
import type { Report } from '@/api/generated';
import { AddNoteButton } from '@/components/notes/AddNoteButton';
import { RunNoteList } from '@/components/notes/RunNoteList';
import { useReportNotes } from '../api/useReportNotes';
import { Section } from '../contents/Section';
import { notedRun, useMayWrite } from './notes';

/** What people wrote of the run; nothing where nobody did, and the reader cannot. */
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
