import type { HostSummary } from '@/api/generated';
import { formatBytes } from '@/lib/format';

/** A host's size in a few words. */
export function machineText(
  host: Pick<HostSummary, 'cpu_logical' | 'memory_bytes'>,
  separator = ', ',
): string {
  if (host.cpu_logical === null || host.memory_bytes === null) return 'unreadable inventory';
  return `${host.cpu_logical} CPUs${separator}${formatBytes(host.memory_bytes)}`;
}
