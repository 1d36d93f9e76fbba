/** Something against the rate of requests, or the connections: what {@link CurveCanvas} draws. Pure. */
import { formatValue } from '@/lib/format';
import { isByPowers, powerTicks, type Scales, valueTicks } from '../axes';
import type { LineLook } from '../LineLegend';

export interface CurveDot {
  /** Requests due a second, or connections in use. */
  load: number;
  /** `null` where it is not known. */
  value: number | null;
  low: number | null;
  high: number | null;
  /** What there is to say of this rate, if anything. */
  note: string;
}

/** An arm's curve, or a trial's. */
export interface CurveLine extends LineLook {
  points: readonly CurveDot[];
  /** Up to which load throughput follows, and between which ones that lies. */
  knee?: { at: number; low: number | null; high: number | null } | undefined;
  /** The throughput by the law that fits, at a load. */
  law?: ((load: number) => number) | undefined;
}

export type LoadUnit = 'requests/s' | 'connections';

/** One load: the point of each line. */
export interface CurveRow {
  load: number;
  points: (CurveDot | null)[];
}

/** All loads that any line has, from the lowest up. */
export function curveRows(lines: readonly CurveLine[]): CurveRow[] {
  const loads = lines.flatMap(({ points }) => points.map(({ load }) => load));
  return [...new Set(loads)]
    .sort((a, b) => a - b)
    .map((load) => ({
      load,
      points: lines.map(({ points }) => points.find((point) => point.load === load) ?? null),
    }));
}

/** The axis of values: all points, and their bands where these are not far wider. */
export function valuesTicks(rows: readonly CurveRow[], scales: Scales): number[] {
  const dots = rows.flatMap(({ points }) => points).filter((dot) => dot?.value != null);
  const values = dots.map((dot) => dot?.value ?? 0);
  const most = Math.max(0, ...values);
  const highs = dots.map((dot) => Math.min(dot?.high ?? 0, 1.5 * most));
  const positive = values.filter((value) => value > 0);
  if (isByPowers(scales) && positive.length > 0) return powerTicks(Math.min(...positive), most);
  return valueTicks(Math.max(most, ...highs), scales.unit);
}

/** A value with its band, as it is read. */
export function dotText({ value, low, high, note }: CurveDot, unit: string): string {
  const band =
    low === null || high === null ? '' : ` (${formatValue(low, unit)} – ${formatValue(high, unit)})`;
  return [`${formatValue(value, unit)}${value === null ? '' : band}`, note].filter(Boolean).join(', ');
}

/** All of a line's points, for who does not see the chart. */
export function curveWords({ label, points }: CurveLine, unit: string, loadUnit: LoadUnit): string {
  const told = points.map((dot) => `${formatValue(dot.load, loadUnit)}: ${dotText(dot, unit)}`);
  return `${label}: ${told.join('; ')}`;
}
