import { describe, expect, it } from 'vitest';
import { nameOf, type ShiftLine, type ShiftPoint, shiftRows, shiftTicks, tickText } from './shift';

const point = (fraction: number, ratio: number, low: number | null = null, high: number | null = null) =>
  ({ fraction, ratio, low, high, text: '' }) satisfies ShiftPoint;
const line = (...points: ShiftPoint[]): ShiftLine => ({ label: 'a', color: 'black', points });

describe('shiftRows', () => {
  it('has each percentile of any line once, from the lowest up', () => {
    const rows = shiftRows([line(point(0.5, 1), point(0.99, 2)), line(point(0.1, 3), point(0.5, 4))]);
    expect(rows.map(({ place, fraction }) => [place, fraction])).toEqual([
      [0, 0.1],
      [1, 0.5],
      [2, 0.99],
    ]);
    expect(rows[1]?.points.map((one) => one?.ratio)).toEqual([1, 4]);
    expect(rows[2]?.points[1]).toBeNull();
  });
});

describe('nameOf', () => {
  it('is the usual name of a percentile', () => {
    expect([0.01, 0.5, 0.999].map(nameOf)).toEqual(['p1', 'p50', 'p99.9']);
  });
});

describe('shiftTicks', () => {
  it('goes by round percentages around no change', () => {
    expect(shiftTicks([line(point(0.5, 1.05, 0.98, 1.12))])).toEqual([0.95, 1, 1.05, 1.1, 1.15]);
    expect(shiftTicks([line(point(0.5, 1))])).toEqual([0.99, 0.995, 1, 1.005, 1.01]);
  });

  it('goes by factors where something doubled or halved', () => {
    expect(shiftTicks([line(point(0.99, 3, 1.5, 7))])).toEqual([0.5, 1, 2, 5, 10]);
    expect(shiftTicks([line(point(0.99, 0.3))])).toEqual([0.2, 0.5, 1, 2]);
  });

  it('goes by powers of ten where the factors are many', () => {
    expect(shiftTicks([line(point(0.01, 0.02), point(0.99, 3000))])).toEqual([
      0.01, 0.1, 1, 10, 100, 1000, 10_000,
    ]);
  });

  it('cuts off a band that would make the lines flat', () => {
    expect(shiftTicks([line(point(0.99, 1.5, 0.0001, 5000))])).toEqual([0.2, 0.5, 1, 2, 5]);
  });
});

describe('tickText', () => {
  it('is a change in percent, or a factor where the axis goes by factors', () => {
    expect([0.95, 1, 1.05].map((tick) => tickText(tick, [0.95, 1, 1.05]))).toEqual([
      '−5\u00a0%',
      '0\u00a0%',
      '+5\u00a0%',
    ]);
    expect([0.5, 1, 10].map((tick) => tickText(tick, [0.5, 1, 10]))).toEqual(['0.5x', '1x', '10x']);
  });
});
