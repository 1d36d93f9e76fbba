import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { Report, RunAnalysis } from '@/api/generated';
import { CopyLink } from '@/components/ui/CopyLink';
import { ServerText, ServerTexts } from '@/components/ui/language/ServerText';
import { Answers } from '@/components/verdict/Answers';
import { MainChart } from '@/components/verdict/MainChart';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { nameOfState } from '@/domain/states';
import { english } from '@/lib/language/serverText';
import { useListed } from '../contents/Section';
import { Badges } from './Badges';
import { FormerJudgements } from './FormerJudgements';
import classes from './VerdictSection.module.css';
import { Whys } from './Whys';

function Lines({ report: { analysis, findings } }: { report: Report }) {
  const conclusion = findings?.conclusion ?? [];
  const { statements, more_or_longer = [], margin_note } = analysis;
  const lines = [...(more_or_longer ?? []), margin_note];
  return (
    <>
      {statements.map(({ text, beside = [] }) => (
        <p key={english(text)}>
          <ServerText text={text} />
          {beside.map((line) => (
            <small key={english(line)} className={classes.beside}>
              <ServerText text={line} />
            </small>
          ))}
        </p>
      ))}
      {lines.map(
        (line) =>
          line && (
            <p key={english(line)}>
              <ServerText text={line} />
            </p>
          ),
      )}
      {conclusion.length > 0 && <ServerTexts texts={conclusion} />}
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

/** What a reader of a claim must not miss: that ranks say otherwise, or that a trial stands apart. */
function ClaimNotes({ analysis: { statements } }: { analysis: RunAnalysis }) {
  return statements
    .flatMap(({ cautions = [] }) => cautions)
    .map((line) => (
      <p key={english(line)} className={classes.claimNote}>
        <ServerText text={line} />
      </p>
    ));
}

interface CautionProps {
  color?: 'red' | 'yellow' | 'gray';
  title?: string;
  children: ReactNode;
}

function Caution({ color = 'red', title, children }: CautionProps) {
  return (
    <Alert variant="light" color={color} mb="md" title={title}>
      {children}
    </Alert>
  );
}

/** Why the statements may not hold: the run goes on, did not end well, or failed a check of validity. */
function Cautions({ report: { run, analysis, unreadable } }: { report: Report }) {
  const isUnfinished = run.state === 'running' || run.state === 'queued';
  const state = nameOfState(run.state);
  return (
    <>
      {isUnfinished && (
        <Caution color="gray">{t`The run is ${state}; this is what its trials show so far.`}</Caution>
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
        <Caution title={run.state === 'failed' ? t`The run failed` : t`The run was ${state}`}>
          <ServerText text={run.state_reason} />
        </Caution>
      )}
      {unreadable.length > 0 && (
        <Caution title={t`Some stored data cannot be read`}>
          {unreadable.map((reason) => (
            <div key={reason}>{t`${reason}. It is left out.`}</div>
          ))}
        </Caution>
      )}
      <ClaimCautions analysis={analysis} />
    </>
  );
}

/** Why claims may be worth less than their words: a window that somebody chose, or an error of a check. */
function ClaimCautions({ analysis: { chosen_window, verdict } }: { analysis: RunAnalysis }) {
  return (
    <>
      {chosen_window && (
        <Caution color="yellow" title={t`The window was chosen after the run`}>
          <ServerText text={chosen_window} />{' '}
          <Trans>
            Whoever chooses a window with the results known can choose a result: claims do not have the
            certainty of those on the planned window.
          </Trans>
        </Caution>
      )}
      {verdict === 'not_valid' && (
        <Caution title={t`Not valid`}>
          <Trans>
            A validity check ended in an error. The claims that it voids are marked; the checks below say what
            to do.
          </Trans>
        </Caution>
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
      <MainChart analysis={analysis} />
      {answers.length > 0 && <PrimaryMatrix analysis={analysis} />}
      <ClaimNotes analysis={analysis} />
      <Whys report={report} />
      <InWords report={report} always={answers.length === 0} />
      <FormerJudgements report={report} />
      <div className={classes.foot}>
        <Badges report={report} />
        <CopyLink id="verdict" title={title} />
      </div>
    </section>
  );
}
