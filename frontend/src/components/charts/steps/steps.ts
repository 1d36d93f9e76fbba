/** The steps of searches for the capacity: what {@link StepsCanvas} draws. Pure. */
import { formatValue } from '@/lib/format';
import { isByPowers, powerTicks, type Scales, ticksOfRates, valueTicks } from '../axes';
import type { LineLook } from '../LineLegend';

export type StepResult = 'met' | 'missed' | 'void';

export interface StepPoint {
  /** Requests due a second. */
  per_s: number;
  /** What the goal bounds; `null` where too few requests were served to know it. */
  value: number | null;
  result: StepResult;
  /** The step in words: its block, its result, why. */
  text: string;
}

/** One arm's steps, or one trial's. */
export interface StepLine extends LineLook {
  points: readonly StepPoint[];
  /** Between these rates the capacity lies, as far as is known. */
  between?: readonly [number, number] | undefined;
}

export interface StepScales extends Scales {
  /** The most that the goal allows. */
  bound: number;
}

/** A point by itself; the lines share the axis. */
export interface StepRow extends StepPoint {
  line: number;
}

/** All points that have a place in the chart, from the lowest rate up. */
export function stepRows(lines: readonly StepLine[], scales: StepScales): StepRow[] {
  const drawn = ({ value }: StepPoint) => value !== null && (!isByPowers(scales) || value > 0);
  return lines
    .flatMap(({ points }, line) => points.filter(drawn).map((point) => ({ ...point, line })))
    .sort((a, b) => a.per_s - b.per_s);
}

/** The axis of rates: all points, and the bounds of the lines. */
export function rateTicks(lines: readonly StepLine[], isLogarithmic: boolean): number[] {
  const rates = lines.flatMap(({ points, between }) => [
    ...points.map(({ per_s }) => per_s),
    ...(between ?? []),
  ]);
  return ticksOfRates(rates, isLogarithmic);
}

/** The axis of what the goal bounds: all points, and the bound. */
export function boundedTicks(rows: readonly StepRow[], scales: StepScales): number[] {
  const { unit, bound } = scales;
  const values = [...rows.map(({ value }) => value ?? 0), bound].filter((value) => value > 0);
  const [low, high] = [Math.min(...values), Math.max(...values, 0)];
  return isByPowers(scales) && values.length > 0 ? powerTicks(low, high) : valueTicks(high, unit);
}

/** All of a line's points, for who does not see the chart. */
export function stepWords({ label, points }: StepLine, unit: string): string {
  const told = points.map(
    ({ per_s, value, text }) => `${formatValue(per_s, 'requests/s')}: ${formatValue(value, unit)}, ${text}`,
  );
  return `${label}: ${told.join('; ')}`;
}
