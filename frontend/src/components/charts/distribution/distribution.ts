import { t } from '@lingui/core/macro';
import { formatMicroseconds } from '@/lib/format';

export interface DistributionLine {
  label: string;
  color: string;
  dash?: string;
  points: readonly { value_ms: number; fraction: number }[];
}

export interface DistributionRow {
  value_ms: number;
  /** Nines of the share of responses that took `value_ms` or less: 0 is none, 1 is 90 %, 2 is 99 %. */
  nines: (number | null)[];
}

const ROWS = 240;

/** The axis on which tails can be seen: 90 % at 1, 99 % at 2, 99.9 % at 3. */
export function ninesOf(fraction: number): number {
  return 0 - Math.log10(Math.max(1 - fraction, 1e-9));
}

export function fractionOf(nines: number): number {
  return 1 - 10 ** -nines;
}

/** "98.7 %", "99.92 %": as many digits as the nines need. */
export function percentileText(fraction: number): string {
  const digits = Math.min(4, Math.max(1, Math.floor(ninesOf(fraction))));
  return `${Number((fraction * 100).toFixed(digits))} %`;
}

/** 1, 2 and 5 of every decade between two positive values, or only the 1 where that would be too many. */
export function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const first = Math.floor(Math.log10(low));
  return Array.from({ length: Math.ceil(decades) + 2 }, (_, index) => 10 ** (first + index))
    .flatMap((decade) => steps.map((step) => Number((decade * step).toPrecision(3))))
    .filter((tick) => tick >= low && tick <= high);
}

/** The fraction at `value`, between the two known points around it; 0 before the first, nothing past the last. */
function fractionAt(points: DistributionLine['points'], value: number): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || value > last.value_ms) return null;
  if (value < first.value_ms) return 0;
  const above = points.findIndex((point) => point.value_ms >= value);
  const [low, high] = [points[Math.max(0, above - 1)], points[above]];
  if (!low || !high) return null;
  if (high.value_ms === low.value_ms) return high.fraction;
  return (
    low.fraction + ((high.fraction - low.fraction) * (value - low.value_ms)) / (high.value_ms - low.value_ms)
  );
}

/** All distributions on one logarithmic grid of latency. The whole (100 %) has no place on an axis of nines. */
export function alignDistributions(lines: readonly DistributionLine[]): DistributionRow[] {
  const values = lines
    .flatMap((line) => line.points.map((point) => point.value_ms))
    .filter((value) => value > 0);
  if (values.length === 0) return [];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return Array.from({ length: ROWS + 1 }, (_, index) => {
    const value = low * (high / low) ** (index / ROWS);
    const nines = lines.map(({ points }) => {
      const fraction = fractionAt(points, Math.min(value, high));
      return fraction === null || fraction >= 1 ? null : ninesOf(fraction);
    });
    return { value_ms: value, nines };
  });
}

const TOLD = [0.5, 0.9, 0.99, 0.999];

/** "off: 50 % within 1.2 ms, 90 % within …": what the curves of a chart say, for those who do not see them. */
export function distributionWords(lines: readonly DistributionLine[]): string {
  return lines
    .map(({ label, points }) => {
      const told = TOLD.flatMap((fraction) => {
        const point = points.find((one) => one.fraction >= fraction);
        if (!point) return [];
        const [share, time] = [percentileText(fraction), formatMicroseconds(point.value_ms * 1000)];
        return [t`${share} within ${time}`];
      });
      return `${label}: ${told.join(', ') || t`no responses`}`;
    })
    .join('; ');
}
