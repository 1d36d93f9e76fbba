import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import type { Report, RunAnalysis } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { nameOfState } from '@/domain/states';

/** Why the statements may not hold: the run goes on, did not end well, or failed a check of validity. */
export function Cautions({ report: { run, analysis, unreadable } }: { report: Report }) {
  const isUnfinished = run.state === 'running' || run.state === 'queued';
  const state = nameOfState(run.state);
  return (
    <>
      {isUnfinished && (
        <Alert variant="light" color="gray" mb="md">
          {t`The run is ${state}; this is what its trials show so far.`}
        </Alert>
      )}
      {analysis.procedure === 'any_look' && (
        <Text size="sm" c="var(--text-dim)" mb="md">
          <Trans>
            Judged by complete blocks, so that the verdict may be read at any time: its intervals hold at
            every look. They are wider than those of a run that ends as planned.
          </Trans>
        </Text>
      )}
      {run.state_reason && !isUnfinished && run.state !== 'completed' && (
        <Alert
          variant="light"
          color="red"
          mb="md"
          title={run.state === 'failed' ? t`The run failed` : t`The run was ${state}`}
        >
          <ServerText text={run.state_reason} />
        </Alert>
      )}
      {unreadable.length > 0 && (
        <Alert variant="light" color="red" mb="md" title={t`Some stored data cannot be read`}>
          {unreadable.map((reason) => (
            <div key={reason}>{t`${reason}. It is left out.`}</div>
          ))}
        </Alert>
      )}
      <OfClaims analysis={analysis} />
    </>
  );
}

/** Why claims may be worth less than their words: a window that somebody chose, or an error of a check. */
function OfClaims({ analysis }: { analysis: RunAnalysis }) {
  return (
    <>
      {analysis.chosen_window && (
        <Alert variant="light" color="yellow" mb="md" title={t`The window was chosen after the run`}>
          <ServerText text={analysis.chosen_window} />{' '}
          <Trans>
            Whoever chooses a window with the results known can choose a result: claims do not have the
            certainty of those on the planned window.
          </Trans>
        </Alert>
      )}
      {analysis.verdict === 'not_valid' && (
        <Alert variant="light" color="red" mb="md" title={t`Not valid`}>
          <Trans>
            A validity check ended in an error. The claims that it voids are marked; the checks below say what
            to do.
          </Trans>
        </Alert>
      )}
    </>
  );
}
