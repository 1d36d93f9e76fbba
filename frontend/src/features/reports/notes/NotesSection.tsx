import type { Report } from '@/api/generated';
import { NotesPanel } from '@/components/notes/NotesPanel';
import { useReportNotes } from '../api/useReportNotes';
import { notedRun, useMayWrite } from './notes';

/** What people wrote of the run; nothing where nobody did, and the reader cannot. */
export function NotesSection({ report }: { report: Report }) {
  const notes = useReportNotes(report);
  const mayWrite = useMayWrite();
  if (notes.length === 0 && !mayWrite) return null;
  return <NotesPanel run={notedRun(report)} notes={notes} mayWrite={mayWrite} />;
}
