import { t } from '@lingui/core/macro';
import type { HostRow } from '@/api/hosts';
import { formatDuration, formatMicroseconds } from '@/lib/format';

export function heartbeatText({ heartbeat_age_s: age }: HostRow): string {
  if (age === null) return t`never`;
  if (age < 1) return t`just now`;
  const duration = formatDuration(Math.round(age));
  return t`${duration} ago`;
}

/** The host's clock against the server's, with the round trip that bounds the estimate's error. */
export function clockText({ clock_offset_us: offset, clock_rtt_us: rtt }: HostRow): string {
  if (offset === null) return t`not measured`;
  const sign = offset > 0 ? '+' : '';
  return `${sign}${formatMicroseconds(offset)}${rtt === null ? '' : ` (± ${formatMicroseconds(rtt / 2)})`}`;
}
