/** How much arms differ from the baseline at each percentile: what {@link ShiftCanvas} draws. Pure. */
import { formatNumber, formatValue } from '@/lib/format';
import { multiples, roundStep } from '../axes';
import type { LineLook } from '../LineLegend';

export interface ShiftPoint {
  fraction: number;
  ratio: number;
  low: number | null;
  high: number | null;
  /** The ratio with its band, as it is printed. */
  text: string;
}

export interface ShiftLine extends LineLook {
  points: readonly ShiftPoint[];
}

/** One percentile: its place from the left, and the point of each line. */
export interface ShiftRow {
  place: number;
  fraction: number;
  points: (ShiftPoint | null)[];
}

export const nameOf = (fraction: number) => `p${Number((100 * fraction).toPrecision(6))}`;

/** The percentiles that any line has, all equally far apart. */
export function shiftRows(lines: readonly ShiftLine[]): ShiftRow[] {
  const all = lines.flatMap(({ points }) => points.map(({ fraction }) => fraction));
  const fractions = [...new Set(all)].sort((a, b) => a - b);
  return fractions.map((fraction, place) => ({
    place,
    fraction,
    points: lines.map(({ points }) => points.find((point) => point.fraction === fraction) ?? null),
  }));
}

const STEPS_OF_PERCENT = 5;
const LEAST = 0.01;
/** A band that reaches further than so many times the lines is cut off there: it would make them flat. */
const FAR = 3;
/** The error of floating point, in steps. */
const DUST = 1e-9;
const MOST_FACTORS = 7;
const FACTORS = [1, 2, 5];
/** Beyond it, changes are read as factors. */
const DOUBLED = 2;

/** Ticks of an axis of ratios that holds no change, all lines, and their bands where they are not far wider: changes in percent, or factors. */
export function shiftTicks(lines: readonly ShiftLine[]): number[] {
  const points = lines.flatMap((line) => line.points);
  const ratios = points.map(({ ratio }) => ratio);
  const [least, greatest] = [Math.min(1 - LEAST, ...ratios), Math.max(1 + LEAST, ...ratios)];
  const lows = points.map((point) => Math.max(point.low ?? point.ratio, least / FAR));
  const highs = points.map((point) => Math.min(point.high ?? point.ratio, greatest * FAR));
  const [low, high] = [Math.min(least, ...lows), Math.max(greatest, ...highs)];
  if (high <= DOUBLED && low >= 1 / DOUBLED) {
    const step = roundStep(high - low, STEPS_OF_PERCENT);
    const [first, last] = [Math.floor((low - 1) / step + DUST), Math.ceil((high - 1) / step - DUST)];
    return multiples(step, first, last).map((change) => Number((1 + change).toPrecision(12)));
  }
  return factors(low, high);
}

/** 0.1, 0.2, 0.5, 1, 2, … around both ends; only every power of ten, or every second one, where they are many. */
function factors(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  const all = powers.flatMap((power) =>
    FACTORS.map((factor) => Number((factor * 10 ** power).toPrecision(3))),
  );
  const from = all.findLastIndex((factor) => factor <= low);
  const to = all.findIndex((factor) => factor >= high);
  const fine = all.slice(Math.max(0, from), to + 1);
  if (fine.length <= MOST_FACTORS) return fine;
  const step = Math.ceil(powers.length / MOST_FACTORS);
  return powers
    .filter((power) => power % step === 0 || power === first || power === last)
    .map((power) => 10 ** power);
}

/** A tick in words: `+5 %`, or `2x` among factors. */
export function tickText(ratio: number, ticks: readonly number[]): string {
  const [low, high] = [ticks[0] ?? 1, ticks.at(-1) ?? 1];
  if (high > DOUBLED || low < 1 / DOUBLED) return `${formatNumber(ratio)}x`;
  const change = Number((100 * (ratio - 1)).toPrecision(6));
  return `${change > 0 ? '+' : ''}${formatValue(change, '%')}`;
}
