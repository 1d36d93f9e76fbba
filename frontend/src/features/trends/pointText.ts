import { t } from '@lingui/core/macro';
import type { TrendPoint } from '@/api/generated';
import { formatInterval, formatValue } from '@/lib/format';

/** "50,000 req/s (49,000 to 51,000 req/s)"; why there is none; a dash where the run has no such arm. */
export function pointText(point: TrendPoint | undefined, unit: string): string {
  if (!point) return '–';
  const { mean, low, high, missing } = point;
  if (mean == null) return missing ?? '–';
  const interval = low == null || high == null ? t`no interval` : formatInterval(low, high, unit);
  return `${formatValue(mean, unit)} (${interval})`;
}
