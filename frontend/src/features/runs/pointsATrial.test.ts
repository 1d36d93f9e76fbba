import { describe, expect, it } from 'vitest';
import { pointsATrial, SERIES_POINTS } from '@/api/trialSeries';

describe('the share of a trial', () => {
  it('is that of a chart of its own where there is one trial', () =>
    expect(pointsATrial(1)).toBe(SERIES_POINTS));
  it('keeps all trials together within the points of a run', () => {
    for (const trials of [3, 12, 40, 100]) expect(pointsATrial(trials) * trials).toBeLessThanOrEqual(1200);
  });
  it('stays the same when a stop rule adds a block', () => expect(pointsATrial(44)).toBe(pointsATrial(40)));
  it('is never less than the API gives', () => expect(pointsATrial(500)).toBe(10));
});
