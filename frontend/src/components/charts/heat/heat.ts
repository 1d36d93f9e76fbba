import { t } from '@lingui/core/macro';
import type { LatencyMap } from '@/api/generated';
import { formatInterval, formatOffset, formatTick, formatValue } from '@/lib/format';
import { logTicks } from '../distribution/distribution';
import { alignLines, type Line } from '../time/align';

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

/** Which columns lie within the measured window. */
const isWithin = (times: readonly number[], measureS: number) => (column: number) => {
  const t = times[column] ?? 0;
  return t >= 0 && t <= measureS;
};

/** Which latency most requests of the measured window had, and when the slowest was. */
export function latencySummary({ rows, times, values }: Heat, measureS: number): string {
  const isMeasured = isWithin(times, measureS);
  const measured = values.map((row) => row.map((count, column) => (isMeasured(column) ? (count ?? 0) : 0)));
  const totals = measured.map((row) => row.reduce((sum, count) => sum + count, 0));
  const slowest = totals.findIndex((total) => total > 0);
  if (slowest === -1) return t`No requests in the measured window.`;
  const usual = totals.indexOf(Math.max(...totals));
  const [usualTimes = '', slowestTimes = ''] = [rows[usual], rows[slowest]];
  const at = measured[slowest]?.findIndex((count) => count > 0) ?? 0;
  const moment = formatOffset(times[at] ?? 0);
  return t`Most often ${usualTimes}; the slowest ${slowestTimes}, at ${moment}.`;
}

export interface Cell {
  row: number;
  column: number;
}

export function cellText(heat: Heat, { row, column }: Cell, unit: string): string {
  const value = heat.values[row]?.[column] ?? null;
  const what = value === null ? t`no reading` : formatValue(value, unit);
  const name = heat.rows[row] ?? '';
  const time = formatOffset(heat.times[column] ?? 0);
  return t`${name} at ${time}: ${what}`;
}

/** What a map of rows of one kind says in words: which of them had most and least in the measured window. */
export function summaryOf({ rows, times, values }: Heat, unit: string, measureS: number): string {
  const isMeasured = isWithin(times, measureS);
  const means = rows.flatMap((name, row) => {
    const measured = mean((values[row] ?? []).filter((_, column) => isMeasured(column)));
    return measured === null ? [] : [{ name, mean: measured }];
  });
  const [most] = means.toSorted((a, b) => b.mean - a.mean);
  const [least] = means.toSorted((a, b) => a.mean - b.mean);
  if (!most || !least) return t`No readings in the measured window.`;
  const [highest, lowest] = [formatValue(most.mean, unit), formatValue(least.mean, unit)];
  const [top, bottom] = [most.name, least.name];
  return t`On average most: ${top}, ${highest}; least: ${bottom}, ${lowest}.`;
}

/** Rows over time, of which each cell has a colour. */
export interface Heat {
  /** The middle of each column, in seconds. */
  times: readonly number[];
  /** Seconds from one column to the next. */
  step: number;
  /** Names of the rows, from top to bottom. */
  rows: readonly string[];
  /** By row, then by column; `null` where nothing is known. */
  values: readonly (readonly (number | null)[])[];
  top: number;
  /** Values that differ by powers of ten: equal steps of colour are equal ratios, and zero has no colour. */
  isLogarithmic?: boolean;
  /** Names beside the axis, `at` so many rows from the top; without them, rows are named. */
  ticks?: readonly { at: number; text: string }[];
}

export const LEVELS = 10;
const MAX_COLUMNS = 120;
const ROW_PX = 14;
const MAX_CHARACTERS = 10;
const NO_BREAK_SPACE = '\u00a0';

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

/** One row a line. Where there are more readings than columns, a column has their mean. */
export function heatOfLines(lines: readonly Line[], top: number): Heat {
  const aligned = alignLines(lines);
  const together = Math.max(1, Math.ceil(aligned.length / MAX_COLUMNS));
  const columns = Array.from({ length: Math.ceil(aligned.length / together) }, (_, index) =>
    aligned.slice(index * together, (index + 1) * together),
  );
  const [first, second] = aligned;
  const reading = first && second ? second.t - first.t : 1;
  return {
    times: columns.map(([begin]) => (begin?.t ?? 0) + ((together - 1) * reading) / 2),
    step: reading * together,
    rows: lines.map(({ label }) => label),
    values: lines.map((_, row) =>
      columns.map((column) => mean(column.map(({ values }) => values[row] ?? null))),
    ),
    top,
  };
}

/** Which of the colours a value has, the weakest being 0; `null` for none. */
export function levelOf(value: number | null, { top, isLogarithmic = false }: Heat): number | null {
  if (value === null || (isLogarithmic && value <= 0)) return null;
  const share = isLogarithmic
    ? Math.log(Math.max(1, value)) / Math.log(Math.max(2, top))
    : value / (top || 1);
  return Math.min(LEVELS - 1, Math.max(0, Math.floor(share * LEVELS)));
}

export interface Edges {
  left: (column: number) => number;
  upper: (row: number) => number;
}

/** One path a colour: a map of thousands of cells is ten elements. Neighbours of one colour are one rectangle. */
export function levelPaths(heat: Heat, { left, upper }: Edges): string[] {
  const paths = Array.from({ length: LEVELS }, () => '');
  heat.values.forEach((row, place) => {
    const [y, height] = [upper(place), upper(place + 1) - upper(place)];
    const gap = height > ROW_PX / 2 && !heat.isLogarithmic ? 1 : 0;
    for (let column = 0; column < row.length; ) {
      const level = levelOf(row[column] ?? null, heat);
      let end = column + 1;
      while (end < row.length && levelOf(row[end] ?? null, heat) === level) end += 1;
      if (level !== null)
        paths[level] += `M${left(column)} ${y}H${left(end)}v${height - gap}H${left(column)}z`;
      column = end;
    }
  });
  return paths;
}

const shortened = (name: string) =>
  name.length > MAX_CHARACTERS ? `…${name.slice(1 - MAX_CHARACTERS)}` : name;

/** Names beside the axis: as many as have room. The end of a long one tells more than its begin. */
export function ticksOf({ rows, ticks }: Heat, heightPx: number): readonly { at: number; text: string }[] {
  if (ticks) return ticks;
  const each = Math.max(1, Math.ceil((rows.length * ROW_PX) / Math.max(1, heightPx)));
  return rows
    .map((name, index) => ({
      at: index + 0.5,
      text: shortened(name).replaceAll(' ', NO_BREAK_SPACE),
    }))
    .filter((_, index) => index % each === 0);
}

export function endsOf({ top, isLogarithmic }: Heat, unit: string): [string, string] {
  return [isLogarithmic ? '1' : '0', formatTick(top, unit)];
}
