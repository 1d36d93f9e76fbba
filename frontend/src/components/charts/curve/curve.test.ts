import { describe, expect, it } from 'vitest';
import { ticksOfRates } from '../axes';
import { type CurveDot, curveRows, curveWords, dotText, valuesTicks } from './curve';

const dot = (load: number, value: number | null, changes: Partial<CurveDot> = {}): CurveDot => ({
  load,
  value,
  low: null,
  high: null,
  note: '',
  ...changes,
});
const line = (...points: CurveDot[]) => ({ label: 'a', color: 'red', points });

describe('curves', () => {
  it('have each rate of any line once, from the lowest up', () => {
    const rows = curveRows([line(dot(500, 1), dot(100, 2)), line(dot(100, 3))]);
    expect(rows.map(({ load, points }) => [load, ...points.map((one) => one?.value ?? null)])).toEqual([
      [100, 2, 3],
      [500, 1, null],
    ]);
  });

  it('have axes that hold all values, and bands that are not far wider', () => {
    const rows = curveRows([line(dot(100, 4, { low: 3, high: 5 }), dot(900, 9, { low: 1, high: 500 }))]);
    expect(ticksOfRates([100, 900], false)).toEqual([0, 200, 400, 600, 800, 1000]);
    expect(ticksOfRates([100, 900], true)).toEqual([100, 200, 500, 1000]);
    expect(valuesTicks(rows, { isLogarithmic: false, unit: 'ms' })).toEqual([0, 5, 10, 15]);
    expect(valuesTicks(rows, { isLogarithmic: true, unit: 'ms' })).toEqual([2, 5, 10]);
    expect(valuesTicks(rows, { isLogarithmic: true, unit: '%' })[0]).toBe(0);
    expect(ticksOfRates([], true)).toEqual([1]);
  });

  it('are told in words', () => {
    expect(dotText(dot(1, 4, { low: 3, high: 5 }), 'ms')).toBe('4\u00a0ms (3\u00a0ms – 5\u00a0ms)');
    const words = curveWords(line(dot(100, null, { note: 'throughput did not follow' })), 'ms', 'requests/s');
    expect(words).toBe('a: 100\u00a0req/s: –, throughput did not follow');
  });
});
