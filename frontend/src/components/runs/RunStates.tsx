import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { IconBan, IconCheck, IconQuestionMark } from '@tabler/icons-react';
import type { RunSummary } from '@/api/generated';
import { OutcomeBadge } from '@/components/states/OutcomeBadge';
import { StateBadge } from '@/components/states/StateBadge';
import { StateText } from '@/components/ui/badges/StateText';

const VERDICTS = {
  decided: { tone: 'done', icon: IconCheck, words: msg`verdict decided` },
  undecided: { tone: 'waiting', icon: IconQuestionMark, words: msg`verdict undecided` },
  not_valid: { tone: 'danger', icon: IconBan, words: msg`not valid` },
} as const;

/** How many questions are decided, where that is not all of them. */
function decidedWords({ verdict, answers = [] }: RunSummary): string | null {
  const all = answers.length;
  const decided = answers.filter(({ sign }) => sign !== 'open').length;
  return verdict === 'decided' && decided < all ? t`${decided} of ${all} decided` : null;
}

/** How far a run is, what its verdict came to, and its thresholds: the same in every list. */
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
      {run.outcome && run.outcome !== 'not_valid' && (
        <div>
          <OutcomeBadge outcome={run.outcome} ofAll />
        </div>
      )}
    </>
  );
}
