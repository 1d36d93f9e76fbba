import { t } from '@lingui/core/macro';
import type { LatencySummary } from '@/api/generated';
import { formatMicroseconds, formatNumber } from '@/lib/format';
import tables from './tables.module.css';

/** As many responses a percentile needs, so that ten lie above it (docs/method.md, Histograms). */
const NEEDED = { p99_us: 1000, p999_us: 10_000 } as const;

/** A percentile, or why it is not shown. */
export function Percentile(props: {
  latency: LatencySummary | null | undefined;
  field: keyof typeof NEEDED;
}) {
  const { latency, field } = props;
  const value = latency?.[field];
  if (!latency || value != null || latency.count >= NEEDED[field]) return formatMicroseconds(value);
  const [count, needed] = [formatNumber(latency.count), formatNumber(NEEDED[field])];
  return <small className={tables.missing}>{t`only ${count} responses; ${needed} are needed`}</small>;
}
