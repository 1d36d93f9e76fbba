import { plural, t } from '@lingui/core/macro';
import { type ReactNode, useId } from 'react';
import type { RunDetail, RunFlag } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { isOver } from '@/domain/runs';
import classes from './SoFar.module.css';

/** The number of trials that have the flag, and whether the present trial has it. */
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

/** What is told of the run so far; checks so that it can be stopped and put right. */
function Told({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  const id = useId();
  return (
    <Panel title={<span id={id}>{title}</span>} note={note}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={classes.said} aria-labelledby={id} tabIndex={0}>
        {children}
      </section>
    </Panel>
  );
}

/** The preliminary verdict of a run that goes on. Its place is kept from the start, so that news moves no chart. */
export function SoFar({ run }: { run: RunDetail }) {
  if (isOver(run)) return null;
  const { verdict_so_far: verdict, flags, arms } = run;
  const all = t`An error voids the claims that it concerns. The report has all checks.`;
  const count = plural(flags.length, { other: '# warn or fail.' });
  return (
    <div className={classes.soFar}>
      {arms.length > 1 && (
        <Told
          title={t`Verdict so far`}
          note={t`It may be read at any time: its intervals hold at every look.`}
        >
          <p className={verdict === null ? classes.none : undefined}>
            {verdict === null ? t`It begins with the first complete block.` : <ServerText text={verdict} />}
          </p>
        </Told>
      )}
      <Told title={t`Checks so far`} note={flags.length > 0 ? `${count} ${all}` : all}>
        {flags.length === 0 && <p className={classes.none}>{t`None warns or fails.`}</p>}
        <ul className={classes.flags} aria-live="polite">
          {flags.map((flag) => (
            <Flag key={flag.key} flag={flag} run={run} />
          ))}
        </ul>
      </Told>
    </div>
  );
}
