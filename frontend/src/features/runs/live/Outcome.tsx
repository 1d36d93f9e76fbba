import { t } from '@lingui/core/macro';
import { Skeleton, Text } from '@mantine/core';
import type { RunDetail } from '@/api/generated';
import { useReport } from '@/api/useReport';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { Answers } from '@/components/verdict/Answers';
import { notValidWords, trustWords } from '@/components/verdict/ownWords';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { isOver } from '@/domain/runs';
import classes from './RunPage.module.css';

/** The answers of the report; the headline where there are none, as with a single arm. */
function Verdict({ runId, headline }: { runId: string; headline: string }) {
  const { data, isPending } = useReport(runId);
  if (isPending) return <Skeleton height={72} aria-label={t`Loading the verdict`} />;
  const analysis = data?.analysis;
  if (!analysis?.answers?.length)
    return (
      <p className={classes.headline}>
        <ServerText text={headline} />
      </p>
    );
  const notValid = notValidWords(analysis);
  return (
    <>
      {notValid && (
        <p className={classes.headline}>
          <Prose text={notValid} />
        </p>
      )}
      <Answers analysis={analysis} />
      <Text size="sm" c="var(--text-dim)" mt="xs">
        <Prose text={trustWords(analysis)} />
      </Text>
      <PrimaryMatrix analysis={analysis} />
    </>
  );
}

function titleOf({ state }: RunDetail): string {
  if (state === 'completed') return t`Verdict`;
  return state === 'failed' ? t`The run has failed` : t`The run has been cancelled`;
}

/** How a run that is over has ended; nothing before. */
export function Outcome({ run }: { run: RunDetail }) {
  if (!isOver(run)) return null;
  return (
    <Panel title={titleOf(run)}>
      {run.state_reason && run.state !== 'completed' && (
        <Text size="sm">
          <ServerText text={run.state_reason} />
        </Text>
      )}
      {run.headline ? (
        <Verdict runId={run.id} headline={run.headline} />
      ) : (
        run.state === 'completed' && <Text c="var(--text-dim)">{t`The analysis is still running.`}</Text>
      )}
    </Panel>
  );
}
