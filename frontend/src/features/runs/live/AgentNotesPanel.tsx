import { t } from '@lingui/core/macro';
import type { RunDetail, TrialOut } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { armLabel } from '@/domain/trials';
import classes from './AgentNotesPanel.module.css';
import { type AgentNote, useAgentNotes } from './useRunStream';

const severities = (): Record<AgentNote['severity'], string> => ({
  info: t({ message: 'info', context: 'severity' }),
  warning: t`warning`,
  error: t`error`,
});

function placeOf({ arm, block }: TrialOut, { arms }: RunDetail): string {
  const name = armLabel(arms, arm);
  return t`${name}, block ${block}`;
}

/** What the agents reported besides figures: degraded measurements, failing collectors, warnings of nginx. */
export function AgentNotesPanel({ run }: { run: RunDetail }) {
  const { data: notes = [] } = useAgentNotes(run.id);
  if (notes.length === 0) return null;
  const trials = new Map(run.trials.map((trial) => [trial.id, trial]));
  return (
    <Panel title={t`Notes of the agents`} note={t`Newest first.`}>
      <ol className={classes.notes} reversed>
        {notes.toReversed().map((note) => {
          const trial = trials.get(note.trial_id);
          return (
            <li key={`${note.trial_id} ${note.code} ${note.message}`} data-severity={note.severity}>
              <b>{severities()[note.severity]}</b>
              <span>{trial && placeOf(trial, run)}</span>
              <ServerText text={note.message} />
              <code>{note.code}</code>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
