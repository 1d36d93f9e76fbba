import { describe, expect, it } from 'vitest';
import { plain } from '@/test/plain';
import { cellText, heatOfLatency, latencySummary, levelOf } from './heat';

const heat = heatOfLatency({
  stream: 'wrk',
  begin_s: -2,
  step_s: 2,
  bounds_ms: [0.1, 1, 10, 100],
  counts: [[1, 0, 9], null, [10, 1000, 0], [500, 0, 1]],
});

describe('A heat map of latency', () => {
  it('has the longest times above, and a column where each interval lies', () => {
    expect(heat.rows.map(plain)).toEqual(['10 to 100 ms', '1 to 10 ms', '0.1 to 1 ms']);
    expect(heat.times).toEqual([-1, 1, 3, 5]);
    expect(heat.values[0]).toEqual([9, null, 0, 1]);
    expect(heat.values[2]).toEqual([1, null, 10, 500]);
    expect(heat.top).toBe(1000);
  });

  it('tells no request from no histogram; neither has a colour', () => {
    expect(plain(cellText(heat, { row: 0, column: 2 }, 'requests'))).toBe('10 to 100 ms at 3 s: 0 requests');
    expect(plain(cellText(heat, { row: 0, column: 1 }, 'requests'))).toBe('10 to 100 ms at 1 s: no reading');
    expect([0, null].map((value) => levelOf(value, heat))).toEqual([null, null]);
  });

  it('names round times where they lie between the ends', () => {
    const ticks = heat.ticks ?? [];
    expect(ticks.map(({ text }) => text).slice(2, 5)).toEqual(['500\u00a0µs', '1\u00a0ms', '2\u00a0ms']);
    expect(ticks.find(({ text }) => text === '10\u00a0ms')?.at).toBeCloseTo(1);
  });

  it('says which time is the most frequent, and when the slowest was', () => {
    expect(plain(latencySummary(heat, 10))).toBe('Most often 1 to 10 ms; the slowest 10 to 100 ms, at 5 s.');
    expect(latencySummary(heat, -1)).toBe('No requests in the measured window.');
  });
});
