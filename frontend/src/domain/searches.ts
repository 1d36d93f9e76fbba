/** A search for the capacity: its steps, and what is known by them. Pure. */
import type { CapacityGoal, CapacitySearch, CapacityTried } from '@/api/generated';

/** What a goal bounds. */
export interface Bounded {
  key: keyof CapacityGoal;
  name: string;
  unit: 'ms' | '%';
  bound: number;
}

const LATENCIES = [
  ['p99_ms', 'p99'],
  ['p999_ms', 'p99.9'],
  ['p90_ms', 'p90'],
  ['p50_ms', 'p50'],
] as const;

/** What a goal bounds: latencies first, p99 before all, then the errors. */
export function boundsOf(goal: CapacityGoal, errors: string): Bounded[] {
  const latencies = LATENCIES.flatMap(([key, name]) => {
    const bound = goal[key];
    return bound == null ? [] : [{ key, name, unit: 'ms' as const, bound }];
  });
  const { errors_percent: bound } = goal;
  return bound == null
    ? latencies
    : [...latencies, { key: 'errors_percent', name: errors, unit: '%', bound }];
}

const MS_US = 1000;

/** What a step had of it: milliseconds, or percent; `null` where too few requests were served. */
export function figureOf(step: CapacityTried, { key }: Bounded): number | null {
  if (key === 'errors_percent') return step.due > 0 ? (100 * step.failed) / step.due : null;
  const us = { p50_ms: step.p50_us, p90_ms: step.p90_us, p99_ms: step.p99_us, p999_ms: step.p999_us }[key];
  return us === null ? null : us / MS_US;
}

/**
 * Between which two rates the capacity lies: as the search said at its end, or by its steps so far. Where a higher rate
 * met the goal than one that missed it, it lies between the two.
 */
export function betweenOf(search: CapacitySearch, steps: readonly CapacityTried[]): [number, number] {
  const { met_per_s, missed_per_s, from_per_s, to_per_s } = search;
  const ratesThat = (wanted: CapacityTried['result']) =>
    steps.filter(({ result }) => result === wanted).map(({ per_s }) => per_s);
  const met = met_per_s ?? Math.max(from_per_s, ...ratesThat('met'));
  const missed = missed_per_s ?? Math.min(to_per_s, ...ratesThat('missed'));
  return [Math.min(met, missed), Math.max(met, missed)];
}
