import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { RunComparison } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Answers } from '@/components/verdict/Answers';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { commonRefusal } from './useAsked';
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

/** The reason of all arms, or that each has its own. */
function Nothing({ comparison }: { comparison: RunComparison }) {
  const reason = commonRefusal(comparison);
  return (
    <p className={classes.nothing}>
      {reason ? (
        <Trans>
          Nothing can be compared: <ServerText text={reason} />.
        </Trans>
      ) : (
        <Trans>Nothing can be compared: see the reasons at each arm.</Trans>
      )}
    </p>
  );
}

/** The answers, the figures behind them, and the same in words. */
export function VerdictPanel({ comparison }: { comparison: RunComparison }) {
  const { analysis, notes } = comparison;
  return (
    <section className={classes.panel} aria-label={t`Verdict`}>
      {analysis.answers.length > 0 ? <Answers analysis={analysis} /> : <Nothing comparison={comparison} />}
      <Confounders comparison={comparison} />
      {analysis.answers.length > 0 && <PrimaryMatrix analysis={analysis} />}
      <details className={classes.words}>
        <summary>{t`In words`}</summary>
        {analysis.statements.map(({ arm, stream, metric, text }) => (
          <p key={`${arm} ${stream} ${metric}`}>
            <ServerText text={text} />
          </p>
        ))}
      </details>
      <ul className={classes.notes}>
        {notes.map((note) => (
          <li key={note}>
            <ServerText text={note} />
          </li>
        ))}
      </ul>
    </section>
  );
}
