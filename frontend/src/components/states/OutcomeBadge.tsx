import { IconBan, IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { ThresholdResult } from '@/api/generated';
import { StateText } from '@/components/ui/badges/StateText';

export type Outcome = ThresholdResult['outcome'];

const SHOWN = {
  pass: { tone: 'done', icon: IconCheck, word: 'passed' },
  fail: { tone: 'danger', icon: IconX, word: 'failed' },
  undecided: { tone: 'waiting', icon: IconQuestionMark, word: 'undecided' },
  not_valid: { tone: 'danger', icon: IconBan, word: 'not valid' },
} as const;

/** What thresholds came to. `what` where the place does not say it. */
export function OutcomeBadge({ outcome, what }: { outcome: Outcome; what?: string }) {
  const { tone, icon, word } = SHOWN[outcome];
  return (
    <StateText tone={tone} icon={icon}>
      {what} {word}
    </StateText>
  );
}
