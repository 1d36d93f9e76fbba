import type { HostRow } from '@/api/useHosts';
import { formatDuration, formatMicroseconds } from '@/lib/format';

export function heartbeatText({ heartbeat_age_s: age }: HostRow): string {
  return age === null ? 'never' : age < 1 ? 'just now' : `${formatDuration(Math.round(age))} ago`;
}

/** The host's clock against the server's, with the round trip that bounds the estimate's error. */
export function clockText({ clock_offset_us: offset, clock_rtt_us: rtt }: HostRow): string {
  if (offset === null) return 'not measured';
  const sign = offset > 0 ? '+' : '';
  return `${sign}${formatMicroseconds(offset)}${rtt === null ? '' : ` (± ${formatMicroseconds(rtt / 2)})`}`;
}

/** Whether the host answers, but takes no runs until somebody has done something about it. */
export function isTrouble({ state }: HostRow): boolean {
  return state === 'conflict' || state === 'upgrade';
}
