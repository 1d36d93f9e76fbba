import type { RunDetail, RunFlag } from '@/api/generated';
import classes from './Flags.module.css';

/** How many trials have it, and whether it was seen in the one that is measured now. */
function whereSeen({ trial_ids }: RunFlag, run: RunDetail): string {
  const trials = trial_ids.length === 1 ? '1 trial' : `${trial_ids.length} trials`;
  const current = run.progress.current_trial_id;
  if (current === null || !trial_ids.includes(current)) return `in ${trials}`;
  return trial_ids.length === 1 ? 'in this trial, so far' : `in ${trials}, and in this one so far`;
}

function Flag({ flag, run }: { flag: RunFlag; run: RunDetail }) {
  return (
    <li data-severity={flag.severity}>
      <b>{flag.severity}</b>
      <span>
        {flag.key}: {flag.message}
      </span>
      <span className={classes.more}>
        {flag.remedy && <span>{flag.remedy}</span>}
        <span>{whereSeen(flag, run)}</span>
      </span>
    </li>
  );
}

/** Checks that warn or fail while the run goes on, so that it can be stopped and put right. */
export function Flags({ run }: { run: RunDetail }) {
  return (
    <ul className={classes.flags} aria-live="polite">
      {run.flags.map((flag) => (
        <Flag key={flag.key} flag={flag} run={run} />
      ))}
    </ul>
  );
}
