import { multiples, roundStep } from '../axes';

/** Means of runs over time: what {@link TrendCanvas} draws. Pure. */
export interface TrendValue {
  run: number;
  mean: number;
  low: number | null;
  high: number | null;
  /** Values of one number form an unbroken line. */
  stretch: number;
}

export interface TrendSeries {
  label: string;
  color: string;
  dash?: string;
  values: readonly TrendValue[];
  /** Numbers of the runs from which on the level is another. */
  changes: readonly number[];
}

export interface TrendRunAt {
  run: number;
  /** Milliseconds since 1970. */
  t: number;
  /** What is not as in the run before; empty where nothing changed. */
  changed: string;
  notes: number;
}

export interface TrendSegment {
  key: string;
  series: TrendSeries;
  values: ReadonlyMap<number, TrendValue>;
}

export interface TrendRow extends TrendRunAt {
  /** By segment. */
  values: (TrendValue | null)[];
}

export interface TrendMark {
  run: number;
  t: number;
  /** Empty where there is no room for it. */
  label: string;
}

export function segmentsOf(series: readonly TrendSeries[]): TrendSegment[] {
  return series.flatMap((one) => {
    const stretches = [...new Set(one.values.map(({ stretch }) => stretch))];
    return stretches.map((stretch) => ({
      key: `${one.label} ${stretch}`,
      series: one,
      values: new Map(
        one.values.filter((value) => value.stretch === stretch).map((value) => [value.run, value]),
      ),
    }));
  });
}

export function rowsOf(runs: readonly TrendRunAt[], segments: readonly TrendSegment[]): TrendRow[] {
  return runs.map((run) => ({ ...run, values: segments.map(({ values }) => values.get(run.run) ?? null) }));
}

const PAD = 0.04;
const HOUR_MS = 3_600_000;

/** From the first to the last run, a little wider. */
export function timeDomain(runs: readonly TrendRunAt[]): [number, number] {
  const times = runs.map(({ t }) => t);
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const pad = (high - low) * PAD || HOUR_MS;
  return [low - pad, high + pad];
}

/** The part of the axis that is nearest to each run, as shares of it. */
export function bandsOf(runs: readonly TrendRunAt[]) {
  const [start, end] = timeDomain(runs);
  const share = (t: number) => (t - start) / (end - start);
  const sorted = runs.toSorted((one, other) => one.t - other.t);
  const between = sorted.slice(1).map(({ t }, index) => share((t + (sorted[index]?.t ?? t)) / 2));
  return sorted.map(({ run }, index) => ({ run, from: between[index - 1] ?? 0, to: between[index] ?? 1 }));
}

/** Below this share of the greatest value, the axis begins at zero. */
const FROM_ZERO = 0.3;
/** The least part of the greatest value that an axis shows, so that noise does not fill it. */
const LEAST_SPAN = 0.1;
const INTERVALS = 5;

/** Around all means and ends of intervals, in round steps; from zero unless the values lie far above. */
export function valueTicks(series: readonly TrendSeries[]): number[] {
  const ends = series.flatMap(({ values }) =>
    values.flatMap(({ mean, low, high }) => [mean, low ?? mean, high ?? mean]),
  );
  if (ends.length === 0) return [0, 1];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const lacking = Math.max(0, LEAST_SPAN * Math.max(Math.abs(least), Math.abs(most)) - (most - least));
  const [low, high] = [least - lacking / 2, most + lacking / 2];
  const from = low >= 0 && low < FROM_ZERO * high ? 0 : low;
  const step = roundStep(high - from || 1, INTERVALS);
  return multiples(step, Math.floor(from / step), Math.ceil(high / step));
}

/** Marks closer than this share of the axis have one name. */
const ROOM = 0.07;

/** Where something changed, named by the run from which on it is so. */
export function marksOf(runs: readonly TrendRunAt[]): TrendMark[] {
  const [start, end] = timeDomain(runs);
  let named = Number.NEGATIVE_INFINITY;
  return runs
    .filter(({ changed }) => changed !== '')
    .map(({ t, run }) => {
      if (t - named < ROOM * (end - start)) return { run, t, label: '' };
      named = t;
      return { run, t, label: `#${run}` };
    });
}
