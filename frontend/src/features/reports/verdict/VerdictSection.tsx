import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Report, RunAnalysis } from '@/api/generated';
import { CopyLink } from '@/components/ui/CopyLink';
import { ServerText } from '@/components/ui/language/ServerText';
import { Answers } from '@/components/verdict/Answers';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { nameOfState } from '@/domain/states';
import { english } from '@/lib/language/serverText';
import { useListed } from '../contents/sections';
import { Badges } from './Badges';
import classes from './VerdictSection.module.css';

function Lines({ report: { analysis, findings } }: { report: Report }) {
  const conclusion = findings?.conclusion ?? [];
  return (
    <>
      {analysis.statements.map(({ arm, stream, metric, text }) => (
        <p key={`${arm} ${stream} ${metric}`}>
          <ServerText text={text} />
        </p>
      ))}
      {analysis.more_or_longer?.map((advice) => (
        <p key={english(advice)}>
          <ServerText text={advice} />
        </p>
      ))}
      {analysis.margin_note && (
        <p>
          <ServerText text={analysis.margin_note} />
        </p>
      )}
      {conclusion.length > 0 && (
        <ul>
          {conclusion.map((sentence) => (
            <li key={english(sentence)}>
              <ServerText text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The same as sentences, with all figures, and the template's own reading. Paper shows them always. */
function InWords({ report, always }: { report: Report; always: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div className={classes.inWords}>
      {!always && (
        <UnstyledButton
          className={`${classes.toggle} no-print`}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Sign size={14} aria-hidden />
          <Trans>In words</Trans>
        </UnstyledButton>
      )}
      <div id={id} className={classes.lines} data-open={isOpen || always}>
        <Lines report={report} />
      </div>
    </div>
  );
}

/** Why the statements may not hold: the run goes on, did not end well, or failed a check of validity. */
function Cautions({ report: { run, analysis, unreadable } }: { report: Report }) {
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

/** The answers a reader takes away, what qualifies them, the figures behind them; the sentences can be unfolded. */
export function VerdictSection({ report }: { report: Report }) {
  const title = t`Verdict`;
  useListed('verdict', title);
  const { analysis } = report;
  const answers = analysis.answers ?? [];
  return (
    <section id="verdict" className={classes.verdictSection} aria-label={title}>
      <Cautions report={report} />
      {analysis.not_valid && (
        <p className={classes.notValid}>
          <ServerText text={analysis.not_valid} />
        </p>
      )}
      {answers.length > 0 && <Answers analysis={analysis} />}
      <p className={classes.trust}>
        <ServerText text={analysis.qualification} />
      </p>
      {answers.length > 0 && <PrimaryMatrix analysis={analysis} />}
      <InWords report={report} always={answers.length === 0} />
      <div className={classes.foot}>
        <Badges report={report} />
        <CopyLink id="verdict" title={title} />
      </div>
    </section>
  );
}
