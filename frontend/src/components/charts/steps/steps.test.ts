import { describe, expect, it } from 'vitest';
import { boundedTicks, rateTicks, type StepPoint, stepRows, stepWords } from './steps';

const point = (per_s: number, value: number | null, result: StepPoint['result'] = 'met') => ({
  per_s,
  value,
  result,
  text: result,
});
const LINE = { label: 'a', color: 'red' };
const SCALES = { isLogarithmic: false, unit: '%', bound: 0.1 };

describe('the steps of searches', () => {
  const lines = [
    { ...LINE, points: [point(900, 0), point(1800, 50, 'missed')] },
    { ...LINE, label: 'b', points: [point(1000, null, 'void'), point(100, 0.1)] },
  ];

  it('stand in the order of their rates, without those of which nothing is known', () => {
    const rows = stepRows(lines, SCALES);
    expect(rows.map(({ line, per_s }) => [line, per_s])).toEqual([
      [1, 100],
      [0, 900],
      [0, 1800],
    ]);
  });

  it('have no place on a logarithmic axis where they are zero', () => {
    const rows = stepRows(lines, { ...SCALES, unit: 'ms', isLogarithmic: true });
    expect(rows.map(({ per_s }) => per_s)).toEqual([100, 1800]);
    expect(stepRows(lines, { ...SCALES, isLogarithmic: true })).toHaveLength(3);
  });

  it('have axes that hold all rates and the bound', () => {
    expect(rateTicks(lines, false)).toEqual([0, 500, 1000, 1500, 2000]);
    expect(rateTicks(lines, true)).toEqual([100, 200, 500, 1000, 2000]);
    expect(rateTicks([{ ...LINE, points: [point(100, 1)], between: [100, 20_000] }], true)).toEqual([
      100, 1000, 10_000, 100_000,
    ]);
    const rows = stepRows(lines, SCALES);
    expect(boundedTicks(rows, SCALES).at(-1)).toBe(50);
    expect(boundedTicks(rows, { ...SCALES, unit: 'ms', isLogarithmic: true })).toEqual([0.1, 1, 10, 100]);
  });

  it('are told in words', () => {
    expect(
      stepWords({ ...LINE, points: [point(900, 12), point(1000, null, 'void')] }, 'ms').replace(/\s/g, ' '),
    ).toBe('a: 900 req/s: 12 ms, met; 1,000 req/s: –, void');
  });
});
