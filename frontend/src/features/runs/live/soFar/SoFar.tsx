import { plural, t } from '@lingui/core/macro';
import { type ReactNode, useId } from 'react';
import type { RunDetail } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { isOver } from '@/domain/runs';
import { Flags } from './Flags';
import classes from './SoFar.module.css';

interface SaidProps {
  title: string;
  note: string;
  children: ReactNode;
}

function Said({ title, note, children }: SaidProps) {
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

/** What a run that goes on says already. It has its place from the start, so that news moves no chart. */
export function SoFar({ run }: { run: RunDetail }) {
  if (isOver(run)) return null;
  const { verdict_so_far: verdict, flags, arms } = run;
  const all = t`An error voids the claims that it concerns. The report has all checks.`;
  const count = plural(flags.length, { other: '# warn or fail.' });
  return (
    <div className={classes.soFar}>
      {arms.length > 1 && (
        <Said
          title={t`Verdict so far`}
          note={t`It may be read at any time: its intervals hold at every look.`}
        >
          {verdict === null ? (
            <p className={classes.none}>{t`It begins with the first complete block.`}</p>
          ) : (
            <p>
              <ServerText text={verdict} />
            </p>
          )}
        </Said>
      )}
      <Said title={t`Checks so far`} note={flags.length > 0 ? `${count} ${all}` : all}>
        {flags.length === 0 && <p className={classes.none}>{t`None warns or fails.`}</p>}
        <Flags run={run} />
      </Said>
    </div>
  );
}
