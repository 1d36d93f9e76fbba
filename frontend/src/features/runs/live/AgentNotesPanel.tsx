import type { RunDetail } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { armLabel } from '@/domain/trials';
import classes from './AgentNotesPanel.module.css';
import { useAgentNotes } from './api/useAgentNotes';

/** What the agents reported besides figures: degraded measurements, failing collectors, warnings of nginx. */
export function AgentNotesPanel({ run }: { run: RunDetail }) {
  const { data: notes = [] } = useAgentNotes(run.id);
  if (notes.length === 0) return null;
  const trials = new Map(run.trials.map((trial) => [trial.id, trial]));
  return (
    <Panel title="Notes of the agents" note="Newest first.">
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
