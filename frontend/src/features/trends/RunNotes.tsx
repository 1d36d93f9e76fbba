import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { useNotes } from '@/api/notes/useNotes';
import { useHasRole } from '@/api/useMe';
import { AddNoteButton } from '@/components/notes/AddNoteButton';
import { NoteList } from '@/components/notes/NoteList';
import { QueryView } from '@/components/ui/QueryView';
import { type NotedRun, numbered } from '@/domain/notes';
import classes from './trends.module.css';

/** What people wrote of the chosen run, and the way to write of it as a whole. */
export function RunNotes({ runId }: { runId: string }) {
  const notes = useNotes(runId);
  const mayWrite = useHasRole('experimenter');
  const run = useMemo(
    (): NotedRun => ({ id: runId, arms: [], trials: [], plan: { warmup_s: 0, measure_s: 0 } }),
    [runId],
  );
  return (
    <div className={classes.runNotes}>
      <QueryView query={notes} skeleton={[24]}>
        {(all) => (all.length > 0 ? <NoteList run={run} notes={numbered(all)} /> : null)}
      </QueryView>
      {mayWrite && <AddNoteButton run={run} label={t`Add a note on this run`} />}
    </div>
  );
}
