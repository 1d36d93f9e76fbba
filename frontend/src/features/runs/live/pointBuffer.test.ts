import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LivePoint } from '@/domain/series';
import { FLUSH_INTERVAL_MS, GATHERING_MS, PointBuffer } from './pointBuffer';

const point = (t_s: number): LivePoint => ({ key: 'k', label: 'l', unit: '', t_s, value: t_s });

describe('PointBuffer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('delivers at most four times a second, with everything in between, in order', () => {
    const deliver = vi.fn<(trialId: string, points: LivePoint[]) => void>();
    const buffer = new PointBuffer(deliver);
    for (let ms = 0; ms < 1000; ms += 10) {
      buffer.push({ trial_id: 'a', points: [point(ms)] });
      vi.advanceTimersByTime(10);
    }
    expect(deliver.mock.calls.length).toBeLessThanOrEqual(1000 / FLUSH_INTERVAL_MS);
    buffer.flush();
    expect(deliver.mock.calls.flatMap(([, points]) => points.map(({ t_s }) => t_s))).toEqual(
      Array.from({ length: 100 }, (_, index) => index * 10),
    );
  });

  it('gathers what several hosts send of one instant, and waits no longer', () => {
    const [deliver, delivered] = [vi.fn(), vi.fn()];
    const buffer = new PointBuffer(deliver, delivered);
    buffer.push({ trial_id: 'a', points: [point(1)], read_at_us: 1_000_000 });
    vi.advanceTimersByTime(GATHERING_MS / 2);
    buffer.push({ trial_id: 'a', points: [point(2)], read_at_us: 1_000_007 });
    vi.advanceTimersByTime(GATHERING_MS / 2);
    expect(deliver).toHaveBeenCalledExactlyOnceWith('a', [point(1), point(2)]);
    expect(delivered).toHaveBeenCalledExactlyOnceWith(1_000_007);
  });

  it('says nothing of the age of what is repeated', () => {
    const delivered = vi.fn();
    const buffer = new PointBuffer(vi.fn(), delivered);
    buffer.push({ trial_id: 'a', points: [point(1)] });
    buffer.flush();
    expect(delivered).not.toHaveBeenCalled();
  });

  it('keeps trials apart', () => {
    const deliver = vi.fn();
    const buffer = new PointBuffer(deliver);
    buffer.push({ trial_id: 'a', points: [point(1)] });
    buffer.push({ trial_id: 'b', points: [point(2)] });
    buffer.push({ trial_id: 'a', points: [point(3)] });
    buffer.flush();
    expect(deliver.mock.calls).toEqual([
      ['a', [point(1), point(3)]],
      ['b', [point(2)]],
    ]);
  });

  it('loses nothing when the page is left', () => {
    const deliver = vi.fn();
    const buffer = new PointBuffer(deliver);
    buffer.push({ trial_id: 'a', points: [point(1)] });
    buffer.close();
    vi.advanceTimersByTime(1000);
    expect(deliver).toHaveBeenCalledExactlyOnceWith('a', [point(1)]);
  });
});
