import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { ActionMark } from '@/api/generated';
import { ActionsTable } from '@/components/runs/ActionsTable';
import { Panel } from '@/components/ui/Panel';
import { describeAction, outcomeOf, summarize } from '@/domain/actions';
import { formatOffset } from '@/lib/format';
import classes from './ActionsPanel.module.css';

const MAX_TOLD = 8;

function told(mark: ActionMark): string {
  const [offset, action] = [formatOffset(mark.t_s), describeAction(mark)];
  return t`at ${offset}: ${action}`;
}

interface Props {
  actions: readonly ActionMark[];
  /** They are of the trial before: this one has none yet. */
  stale: boolean;
}

/** What perturbations have done in the trial so far, and each action that did not work. */
export function ActionsPanel({ actions, stale }: Props) {
  const rows = useMemo(
    () => summarize(actions).map((summary) => ({ id: `${summary.host} ${summary.perturbation}`, summary })),
    [actions],
  );
  const failed = actions.filter((mark) => outcomeOf(mark) === 'failed');
  if (rows.length === 0) return null;
  const note = stale ? t`Of the trial before; this one has none yet.` : t`Of this trial.`;
  return (
    <Panel title={t`Perturbations`} note={note} flush>
      <ActionsTable rows={rows} />
      {failed.length > 0 && (
        <ul className={classes.failedActions}>
          {failed.slice(-MAX_TOLD).map((mark) => (
            <li key={`${mark.host} ${mark.perturbation} ${mark.number}`}>{told(mark)}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
