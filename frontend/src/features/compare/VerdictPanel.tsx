import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { RunComparison } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import { Answers } from '@/components/verdict/Answers';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import classes from './VerdictPanel.module.css';

/** Above a claim, which confounders stand beside it. */
function Confounders({ comparison }: { comparison: RunComparison }) {
  const beside = [...new Set(comparison.arms.flatMap((arm) => arm.beside))];
  if (beside.length === 0) return null;
  const list = beside.join(', ');
  return (
    <p className={classes.confounders}>
      <Trans>
        Also different: <b>{list}</b>. What is said here may come from that as well.
      </Trans>
    </p>
  );
}

/** The answers, the figures behind them, and the same in words. */
export function VerdictPanel({ comparison }: { comparison: RunComparison }) {
  const { analysis, notes } = comparison;
  return (
    <section className={classes.panel} aria-label={t`Verdict`}>
      {analysis.answers.length > 0 ? (
        <Answers analysis={analysis} />
      ) : (
        <p className={classes.nothing}>{t`Nothing can be compared: see the reasons at each arm.`}</p>
      )}
      <Confounders comparison={comparison} />
      {analysis.answers.length > 0 && <PrimaryMatrix analysis={analysis} />}
      <details className={classes.words}>
        <summary>{t`In words`}</summary>
        {analysis.statements.map(({ arm, stream, metric, text }) => (
          <p key={`${arm} ${stream} ${metric}`} lang="en">
            <Prose text={text} />
          </p>
        ))}
      </details>
      <ul className={classes.notes} lang="en">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
