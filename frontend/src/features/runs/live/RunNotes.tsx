import type { RunDetail } from '@/api/generated';
import { useNotes } from '@/api/notes/useNotes';
import { useHasRole } from '@/api/useMe';
import { NotesPanel } from '@/components/notes/NotesPanel';
import { QueryView } from '@/components/ui/QueryView';

/** What people wrote of the run. */
export function RunNotes({ run }: { run: RunDetail }) {
  const notes = useNotes(run.id);
  const mayWrite = useHasRole('experimenter');
  return (
    <QueryView query={notes} skeleton={[96]}>
      {(all) => <NotesPanel run={run} notes={all} mayWrite={mayWrite} />}
    </QueryView>
  );
}
