import { Alert } from '@mantine/core';
import type { RawRemoved } from '@/api/generated';
import { formatDay } from '@/lib/time';

/** Why charts over time are not there; nothing where raw data is. */
export function RawRemovedNote({ removed }: { removed: RawRemoved | null | undefined }) {
  if (!removed) return null;
  return (
    <Alert role="note" variant="light" color="gray">
      Raw data was removed on {formatDay(removed.at)} by the rule of {removed.days} days. Verdict, figures and
      kept files stay; charts over time cannot be drawn any more.
    </Alert>
  );
}
