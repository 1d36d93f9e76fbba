import { plural, t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { RunDetail, RunFlag } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
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

/**
 * What is told of the run so far; checks so that it can be stopped and put right. It takes a line until its reader opens
 * it, so that news moves no chart.
 */
function Told({
  title,
  note,
  line,
  children,
}: {
  title: string;
  note: string;
  line: ReactNode;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <section className={classes.told} aria-labelledby={id}>
      <div className={classes.line}>
        <h2 id={id}>
          <UnstyledButton className={classes.title} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Sign size={14} aria-hidden />
            {title}
          </UnstyledButton>
        </h2>
        <span className={classes.brief} aria-live="polite">
          {!isOpen && line}
        </span>
      </div>
      {isOpen && (
        <div className={classes.said}>
          {children}
          <p className={classes.none}>{note}</p>
        </div>
      )}
    </section>
  );
}

const gravest = (flags: readonly RunFlag[]) => flags.find(({ severity }) => severity === 'error') ?? flags[0];

/** The preliminary verdict and the checks of a run that goes on. */
export function SoFar({ run }: { run: RunDetail }) {
  const { verdict_so_far: verdict, flags, arms } = run;
  const said = verdict === null ? t`It begins with the first complete block.` : <ServerText text={verdict} />;
  const first = gravest(flags);
  const count = plural(flags.length, { other: '# warn or fail.' });
  return (
    <div className={classes.soFar}>
      {arms.length > 1 && (
        <Told
          title={t`Verdict so far`}
          note={t`It may be read at any time: its intervals hold at every look.`}
          line={said}
        >
          <p>{said}</p>
        </Told>
      )}
      <Told
        title={t`Checks so far`}
        note={t`An error voids the claims that it concerns. The report has all checks.`}
        line={
          first ? (
            <span data-severity={first.severity}>
              {count} {first.key}: <ServerText text={first.message} />
            </span>
          ) : (
            t`None warns or fails.`
          )
        }
      >
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
