import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { IconBan, IconCheck, IconHistory, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { RunSummary, ThresholdResult } from '@/api/generated';
import { StateText } from '@/components/ui/StateText';
import { StateBadge } from './StateBadge';

export type Outcome = ThresholdResult['outcome'];

const LOOKS = {
  pass: { tone: 'done', icon: IconCheck },
  fail: { tone: 'danger', icon: IconX },
  undecided: { tone: 'waiting', icon: IconQuestionMark },
  not_valid: { tone: 'danger', icon: IconBan },
} as const;

const wordsOfOne = (): Record<Outcome, string> => ({
  pass: t({ message: 'passed', context: 'threshold' }),
  fail: t({ message: 'failed', context: 'threshold' }),
  undecided: t`undecided`,
  not_valid: t`not valid`,
});

const wordsOfAll = (): Record<Outcome, string> => ({
  pass: t`thresholds passed`,
  fail: t`thresholds failed`,
  undecided: t`thresholds undecided`,
  not_valid: t`thresholds not valid`,
});

/** What thresholds came to. `what` where the place does not say it. */
export function OutcomeBadge({ outcome, ofAll = false }: { outcome: Outcome; ofAll?: boolean }) {
  return <StateText {...LOOKS[outcome]}>{(ofAll ? wordsOfAll() : wordsOfOne())[outcome]}</StateText>;
}

const VERDICTS = {
  decided: { tone: 'done', icon: IconCheck, words: msg`verdict decided` },
  undecided: { tone: 'waiting', icon: IconQuestionMark, words: msg`verdict undecided` },
  not_valid: { tone: 'danger', icon: IconBan, words: msg`not valid` },
} as const;

/** The number of decided questions, unless all are decided. */
function decidedWords({ verdict, answers = [] }: RunSummary): string | null {
  const all = answers.length;
  const decided = answers.filter(({ sign }) => sign !== 'open').length;
  return verdict === 'decided' && decided < all ? t`${decided} of ${all} decided` : null;
}

/** A run's state, verdict and thresholds, the same in every list. */
export function RunStates({ run }: { run: RunSummary }) {
  const shown = run.verdict && VERDICTS[run.verdict];
  return (
    <>
      <StateBadge state={run.state} />
      {shown && (
        <div>
          <StateText tone={shown.tone} icon={shown.icon}>
            {decidedWords(run) ?? i18n._(shown.words)}
          </StateText>
        </div>
      )}
      {run.judged_differently && (
        <div>
          <StateText tone="waiting" icon={IconHistory}>{t`judged differently before`}</StateText>
        </div>
      )}
      {run.outcome && run.outcome !== 'not_valid' && (
        <div>
          <OutcomeBadge outcome={run.outcome} ofAll />
        </div>
      )}
    </>
  );
}
