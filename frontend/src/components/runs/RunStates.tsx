import { i18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
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

/** How far a run is, what its verdict came to, and its thresholds: the same in every list. */
export function RunStates({ run }: { run: RunSummary }) {
  const shown = run.verdict && VERDICTS[run.verdict];
  return (
    <>
      <StateBadge state={run.state} />
      {shown && (
        <div>
          <StateText tone={shown.tone} icon={shown.icon}>
            {i18n._(shown.words)}
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
