import type { RunDetail, RunFlag } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { isOver } from '@/domain/runs';
import classes from './FlagsPanel.module.css';

/** How many trials have it, and whether it was seen in the one that is measured now. */
function whereSeen({ trial_ids }: RunFlag, run: RunDetail): string {
  const trials = trial_ids.length === 1 ? '1 trial' : `${trial_ids.length} trials`;
  const current = run.progress.current_trial_id;
  if (current === null || !trial_ids.includes(current)) return `in ${trials}`;
  return trial_ids.length === 1 ? 'in this trial, so far' : `in ${trials}, and in this one so far`;
}

/** Checks that warn or fail while the run goes on, so that it can be stopped and put right. */
export function FlagsPanel({ run }: { run: RunDetail }) {
  if (isOver(run) || run.flags.length === 0) return null;
  return (
    <Panel
      title="Checks so far"
      note="An error voids the claims that it concerns. The report has all checks."
    >
      <ul className={classes.flags} aria-live="polite">
        {run.flags.map((flag) => (
          <li key={flag.key} data-severity={flag.severity}>
            <b>{flag.severity}</b>
            <div>
              <span>
                {flag.key}: {flag.message}
              </span>
              {flag.remedy && <span className={classes.remedy}>{flag.remedy}</span>}
            </div>
            <span className={classes.where}>{whereSeen(flag, run)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
