import { plural, t } from '@lingui/core/macro';
import type { RunDetail, RunFlag } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import classes from './Flags.module.css';

/** How many trials have it, and whether it was seen in the one that is measured now. */
function whereSeen({ trial_ids }: RunFlag, run: RunDetail): string {
  const trials = trial_ids.length;
  const current = run.progress.current_trial_id;
  if (current === null || !trial_ids.includes(current))
    return plural(trials, { one: 'in # trial', other: 'in # trials' });
  return plural(trials, {
    one: 'in this trial, so far',
    other: 'in # trials, and in this one so far',
  });
}

const severities = (): Record<RunFlag['severity'], string> => ({ warning: t`warning`, error: t`error` });

function Flag({ flag, run }: { flag: RunFlag; run: RunDetail }) {
  return (
    <li data-severity={flag.severity}>
      <b>{severities()[flag.severity]}</b>
      <span>
        {flag.key}: <ServerText text={flag.message} />
      </span>
      <span className={classes.more}>
        {flag.remedy && <ServerText text={flag.remedy} />}
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
