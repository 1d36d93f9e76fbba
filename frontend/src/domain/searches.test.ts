import { describe, expect, it } from 'vitest';
import type { CapacitySearch, CapacityTried } from '@/api/generated';
import { betweenOf, boundsOf, figureOf } from './searches';

const tried = (per_s: number, result: CapacityTried['result']) =>
  ({ per_s, result, due: 200, failed: 3, p99_us: 4000, p90_us: null }) as CapacityTried;
const search = { from_per_s: 100, to_per_s: 5000, met_per_s: null, missed_per_s: null } as CapacitySearch;

describe('a search', () => {
  it('bounds latencies first, and the errors', () => {
    const bounds = boundsOf(
      { p50_ms: null, p90_ms: 3, p99_ms: 5, p999_ms: null, errors_percent: 1 },
      'Errors',
    );
    expect(bounds.map(({ name, bound }) => [name, bound])).toEqual([
      ['p99', 5],
      ['p90', 3],
      ['Errors', 1],
    ]);
    expect(bounds.map((bounded) => figureOf(tried(200, 'met'), bounded))).toEqual([4, null, 1.5]);
  });

  it('narrows with its steps, also where a lower rate missed the goal', () => {
    expect(betweenOf(search, [])).toEqual([100, 5000]);
    const steps = [tried(800, 'met'), tried(1600, 'missed'), tried(1200, 'void')];
    expect(betweenOf(search, steps)).toEqual([800, 1600]);
    expect(betweenOf(search, [...steps, tried(700, 'missed'), tried(500, 'met')])).toEqual([700, 800]);
  });

  it('ends with what it says itself', () => {
    expect(betweenOf({ ...search, met_per_s: 950, missed_per_s: 980 }, [tried(800, 'met')])).toEqual([
      950, 980,
    ]);
  });
});
