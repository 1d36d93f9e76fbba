import { formatDateTime } from '@/lib/time';

/** Of when the words of a shared page are: `null` while they follow a run that goes on, `undefined` in a file. */
export function AsOf({ at }: { at: string | null | undefined }) {
  if (at === undefined) return null;
  return (
    <strong>{at === null ? 'The run goes on: this page follows it' : `As of ${formatDateTime(at)}`}</strong>
  );
}
