import { Tooltip } from '@mantine/core';
import type { RunOrigin } from '@/api/generated';
import { Tag } from '@/components/ui/badges/Tag';
import { formatDateTime } from '@/lib/time';

/** The name of the installation without what every address has. */
export function originName(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/\/$/, '') || 'another installation';
}

/** Says that a run was measured elsewhere; nothing of a run that was measured here. */
export function ImportedNote({ origin }: { origin: RunOrigin | null | undefined }) {
  if (!origin) return null;
  const by = origin.imported_by ? ` by ${origin.imported_by}` : '';
  const label = `Started there by ${origin.author}; imported ${formatDateTime(origin.imported_at)}${by}. Its hosts are names only.`;
  return (
    <Tooltip label={label}>
      <span>
        <Tag>Imported from {originName(origin.origin)}</Tag>
      </span>
    </Tooltip>
  );
}
