import { t } from '@lingui/core/macro';
import { Tooltip } from '@mantine/core';
import type { RunOrigin } from '@/api/generated';
import { Tag } from '@/components/ui/badges/Tag';
import { formatDateTime } from '@/lib/time';

/** The name of the installation without what every address has. */
export function originName(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/\/$/, '') || t`another installation`;
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
    <Tooltip label={label}>
      <span>
        <Tag>{t`Imported from ${name}`}</Tag>
      </span>
    </Tooltip>
  );
}
