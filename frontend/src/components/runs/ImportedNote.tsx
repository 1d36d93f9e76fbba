import { t } from '@lingui/core/macro';
import { Alert, Tooltip } from '@mantine/core';
import type { RawRemoved, RunOrigin } from '@/api/generated';
import { Tag } from '@/components/ui/Tag';
import { formatDateTime, formatDay } from '@/lib/time';

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

/** The name of the installation without what every address has. */
function originName(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/\/$/, '') || t`another installation`;
}

/** Who vouches that the archive is as it was written. */
function vouched({ signed_by: key, key_changed: isOther }: RunOrigin): string {
  if (!key && isOther)
    return t`Its archive is unsigned, and earlier ones from that address were signed: distrust it.`;
  if (!key) return t`Its archive is unsigned: whoever had it may have changed it.`;
  return isOther
    ? t`Its archive is signed by the key ${key}, and earlier ones from that address by another: ask whose it is.`
    : t`Its archive is signed by the key ${key}.`;
}

/** Says that a run was measured elsewhere; nothing of a run that was measured here. */
export function ImportedNote({ origin }: { origin: RunOrigin | null | undefined }) {
  if (!origin) return null;
  const { author, imported_by: by } = origin;
  const at = formatDateTime(origin.imported_at);
  const name = originName(origin.origin);
  const label = by
    ? t`Started there by ${author}; imported ${at} by ${by}. Its hosts are names only.`
    : t`Started there by ${author}; imported ${at}. Its hosts are names only.`;
  return (
    <Tooltip label={`${label} ${vouched(origin)}`} multiline maw={420}>
      <span>
        <Tag>{origin.signed_by ? t`Imported from ${name}` : t`Imported from ${name}, unsigned`}</Tag>
      </span>
    </Tooltip>
  );
}
