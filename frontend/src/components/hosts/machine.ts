import { t } from '@lingui/core/macro';
import type { HostSummary } from '@/api/generated';
import { formatBytes } from '@/lib/format';

/** A host's size in a few words. */
export function machineText(
  host: Pick<HostSummary, 'cpu_logical' | 'memory_bytes'>,
  separator = ', ',
): string {
  const { cpu_logical: count, memory_bytes } = host;
  if (count === null || memory_bytes === null) return t`unreadable inventory`;
  return `${t`${count} CPUs`}${separator}${formatBytes(memory_bytes)}`;
}
