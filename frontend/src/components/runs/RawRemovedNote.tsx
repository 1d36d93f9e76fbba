import { Trans } from '@lingui/react/macro';
import { Alert } from '@mantine/core';
import type { RawRemoved } from '@/api/generated';
import { formatDay } from '@/lib/time';

/** Why charts over time are not there; nothing where raw data is. */
export function RawRemovedNote({ removed }: { removed: RawRemoved | null | undefined }) {
  if (!removed) return null;
  const day = formatDay(removed.at);
  const { days } = removed;
  return (
    <Alert role="note" variant="light" color="gray">
      <Trans>
        Raw data was removed on {day} by the rule of {days} days. Verdict, figures and kept files stay; charts
        over time cannot be drawn any more.
      </Trans>
    </Alert>
  );
}
