import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import { StateText } from '@/components/ui/badges/StateText';

/** Whether thresholds hold; null where that is not known. `what` where the place does not say it. */
export function PassBadge({ passed, what }: { passed: boolean | null; what?: string }) {
  if (passed === null)
    return (
      <StateText tone="waiting" icon={IconQuestionMark}>
        {what} unknown
      </StateText>
    );
  return passed ? (
    <StateText tone="done" icon={IconCheck}>
      {what} passed
    </StateText>
  ) : (
    <StateText tone="danger" icon={IconX}>
      {what} failed
    </StateText>
  );
}
