import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import { StateText } from './StateText';

/** Whether thresholds hold; null where that is not known. */
export function PassBadge({ passed }: { passed: boolean | null }) {
  if (passed === null)
    return (
      <StateText tone="waiting" icon={IconQuestionMark}>
        not known
      </StateText>
    );
  return passed ? (
    <StateText tone="done" icon={IconCheck}>
      passed
    </StateText>
  ) : (
    <StateText tone="danger" icon={IconX}>
      failed
    </StateText>
  );
}
