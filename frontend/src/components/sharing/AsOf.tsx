import { t } from '@lingui/core/macro';
import { formatDateTime } from '@/lib/time';

/** Of when the words of a shared page are: `null` while they follow a run that goes on, `undefined` in a file. */
export function AsOf({ at }: { at: string | null | undefined }) {
  if (at === undefined) return null;
  if (at === null) return <strong>{t`The run goes on: this page follows it`}</strong>;
  const time = formatDateTime(at);
  return <strong>{t`As of ${time}`}</strong>;
}
