import { Tooltip } from '@mantine/core';
import { formatDateTime, formatRelative } from '@/lib/time';
import { useNow } from '@/lib/useNow';

/** "3 min ago", kept current, with the exact time on hover. */
export function RelativeTime({ iso }: { iso: string }) {
  const now = useNow(30_000);
  return (
    <Tooltip label={formatDateTime(iso)}>
      <time dateTime={iso}>{formatRelative(iso, now)}</time>
    </Tooltip>
  );
}
