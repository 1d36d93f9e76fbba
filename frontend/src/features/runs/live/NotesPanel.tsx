import type { RunDetail } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { armLabel } from '@/domain/trials';
import { useRunNotes } from './api/useRunNotes';
import classes from './NotesPanel.module.css';

/** What the agents reported besides figures: degraded measurements, failing collectors, warnings of nginx. */
export function NotesPanel({ run }: { run: RunDetail }) {
  const { data: notes = [] } = useRunNotes(run.id);
  if (notes.length === 0) return null;
  const trials = new Map(run.trials.map((trial) => [trial.id, trial]));
  return (
    <Panel title="Notes" note="Newest first.">
      <ol className={classes.notes} reversed>
        {notes.toReversed().map((note) => {
          const trial = trials.get(note.trial_id);
          return (
            <li key={`${note.trial_id} ${note.code} ${note.message}`} data-severity={note.severity}>
              <b>{note.severity}</b>
              <span>{trial && `${armLabel(run.arms, trial.arm)}, block ${trial.block}`}</span>
              <span>{note.message}</span>
              <code>{note.code}</code>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
