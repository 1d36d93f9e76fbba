import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import type { RunComparison, SeriesInfo } from '@/api/generated';
import { ServerText, ServerTexts } from '@/components/ui/language/ServerText';
import { Answers } from '@/components/verdict/Answers';
import { MainChart } from '@/components/verdict/MainChart';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { said } from '@/lib/language/serverText';
import { DistributionPanel, TimePanel } from './ChartPanels';
import { type Change, RunsPanel } from './RunsPanel';
import { SetupPanel } from './SetupPanel';
import { commonRefusal } from './useAsked';
import classes from './VerdictPanel.module.css';

/** Above a claim, which confounders stand beside it. */
function Confounders({ comparison }: { comparison: RunComparison }) {
  const beside = [...new Set(comparison.arms.flatMap((arm) => arm.beside.map(said)))];
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
        t`Nothing can be compared: see the reasons at each arm.`
      )}
    </p>
  );
}

/** The answers, the figures behind them, and the same in words. */
function VerdictPanel({ comparison }: { comparison: RunComparison }) {
  const { analysis, notes } = comparison;
  return (
    <section className={classes.panel} aria-label={t`Verdict`}>
      {analysis.answers.length > 0 ? <Answers analysis={analysis} /> : <Nothing comparison={comparison} />}
      <Confounders comparison={comparison} />
      {analysis.answers.length > 0 && (
        <>
          <MainChart analysis={analysis} />
          <PrimaryMatrix analysis={analysis} />
        </>
      )}
      <details className={classes.words}>
        <summary>{t`In words`}</summary>
        {analysis.statements.map(({ arm, stream, metric, text }) => (
          <p key={`${arm} ${stream} ${metric}`}>
            <ServerText text={text} />
          </p>
        ))}
      </details>
      <ServerTexts className={classes.notes} texts={notes} />
    </section>
  );
}

interface Props {
  comparison: RunComparison;
  /** Missing where there is nothing to change. */
  change?: Change;
  /** `undefined` while it is on its way. */
  catalogue: readonly SeriesInfo[] | undefined;
}

/** Runs compared: which, what differs between them, what that says, and their charts. */
export function ComparisonView({ comparison, change, catalogue }: Props) {
  return (
    <Stack gap="md">
      <RunsPanel comparison={comparison} change={change} />
      <SetupPanel comparison={comparison} ask={change?.ask} />
      <VerdictPanel comparison={comparison} />
      <DistributionPanel analysis={comparison.analysis} />
      <TimePanel comparison={comparison} catalogue={catalogue} />
    </Stack>
  );
}
