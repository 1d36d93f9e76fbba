import { t } from '@lingui/core/macro';
import { Alert } from '@mantine/core';
import type { RawRemoved } from '@/api/generated';
import { formatDay } from '@/lib/time';

function reason({ at, days }: RawRemoved): string {
  const day = formatDay(at);
  return days === null
    ? t`Raw data was deleted on ${day} with the history of a host. Verdict, figures and kept files stay; charts over time cannot be drawn any more.`
    : t`Raw data was removed on ${day} by the rule of ${days} days. Verdict, figures and kept files stay; charts over time cannot be drawn any more.`;
}

/** Why charts over time are not there; nothing where raw data is. */
export function RawRemovedNote({ removed }: { removed: RawRemoved | null | undefined }) {
  if (!removed) return null;
  return (
    <Alert role="note" variant="light" color="gray">
      {reason(removed)}
    </Alert>
  );
}
