import { t } from '@lingui/core/macro';
import type { LatencyMap } from '@/api/generated';
import { formatInterval, formatOffset, formatTick } from '@/lib/format';
import { logTicks } from '../distribution/distribution';
import type { Heat } from './heat';

/** One row a range of latency, the longest above. */
export function heatOfLatency({ begin_s, step_s, bounds_ms, counts }: LatencyMap): Heat {
  const low = bounds_ms[0] ?? 1;
  const high = bounds_ms.at(-1) ?? 1;
  const buckets = bounds_ms.slice(1).map((end, bucket) => ({ bucket, begin: bounds_ms[bucket] ?? 0, end }));
  const downwards = buckets.toReversed();
  return {
    times: counts.map((_, column) => begin_s + (column + 0.5) * step_s),
    step: step_s,
    rows: downwards.map(({ begin, end }) => formatInterval(begin, end, 'ms')),
    values: downwards.map(({ bucket }) => counts.map((column) => column?.[bucket] ?? null)),
    top: counts.flatMap((column) => column ?? []).reduce((most, count) => Math.max(most, count), 0),
    isLogarithmic: true,
    ticks: logTicks(low, high).map((value) => ({
      at: buckets.length * (1 - Math.log(value / low) / Math.log(high / low)),
      text: formatTick(value, 'ms'),
    })),
  };
}

/** Which latency most requests of the measured window had, and when the slowest was. */
export function latencySummary({ rows, times, values }: Heat, measureS: number): string {
  const measured = values.map((row) =>
    row.map((count, column) => {
      const t = times[column] ?? 0;
      return t >= 0 && t <= measureS ? (count ?? 0) : 0;
    }),
  );
  const totals = measured.map((row) => row.reduce((sum, count) => sum + count, 0));
  const slowest = totals.findIndex((total) => total > 0);
  if (slowest === -1) return t`No requests in the measured window.`;
  const usual = totals.indexOf(Math.max(...totals));
  const [usualTimes = '', slowestTimes = ''] = [rows[usual], rows[slowest]];
  const at = measured[slowest]?.findIndex((count) => count > 0) ?? 0;
  const moment = formatOffset(times[at] ?? 0);
  return t`Most often ${usualTimes}; the slowest ${slowestTimes}, at ${moment}.`;
}
