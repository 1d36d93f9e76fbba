import { t } from '@lingui/core/macro';
import { IconBan, IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { ThresholdResult } from '@/api/generated';
import { StateText } from '@/components/ui/badges/StateText';

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
