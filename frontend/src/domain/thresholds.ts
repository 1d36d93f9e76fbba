import type { Threshold } from '@/api/generated';

/** A threshold as a line of text, which says the same: "p99_ms ratio < 1.1 for reuseport". */
export function thresholdText(entry: Threshold | string): string {
  if (typeof entry === 'string') return entry;
  const metric = entry.statistic ? `${entry.statistic}_ms` : entry.metric;
  const words = [metric, entry.ratio ? 'ratio' : '', entry.compare, String(entry.value)];
  return [...words, entry.arm ? `for ${entry.arm}` : ''].filter((word) => word !== '').join(' ');
}
