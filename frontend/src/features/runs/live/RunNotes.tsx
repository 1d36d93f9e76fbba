import { t } from '@lingui/core/macro';
import { memo } from 'react';
import type { RunDetail } from '@/api/generated';
import { useNotes } from '@/api/notes/useNotes';
import { useHasRole } from '@/api/useMe';
import { AddNoteButton } from '@/components/notes/AddNoteButton';
import { RunNoteList } from '@/components/notes/RunNoteList';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { sameButForTime } from './sameButForTime';

/** What people wrote of the run. */
export const RunNotes = memo(function RunNotes({ run }: { run: RunDetail }) {
  const notes = useNotes(run.id);
  const mayWrite = useHasRole('experimenter');
  return (
    <QueryView query={notes} skeleton={[96]}>
      {(all) => (
        <Panel title={t`Notes`} actions={mayWrite && <AddNoteButton run={run} />}>
          <RunNoteList run={run} notes={all} mayWrite={mayWrite} />
        </Panel>
      )}
    </QueryView>
  );
}, sameButForTime);
