import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LivePoint } from '@/domain/series';
import { FLUSH_INTERVAL_MS, GATHERING_MS, LiveBuffer, type News } from './useRunStream';

const point = (t_s: number): LivePoint => ({ key: 'k', label: 'l', unit: '', t_s, value: t_s });

/** A buffer, and what it has handed over. */
function buffered() {
  const news: News[] = [];
  return { news, buffer: new LiveBuffer((one) => news.push(one)) };
}

describe('LiveBuffer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('delivers at most four times a second, with every point in between, in order', () => {
    const { buffer, news } = buffered();
    for (let ms = 0; ms < 1000; ms += 10) {
      buffer.pushPoints({ trial_id: 'a', points: [point(ms)] });
      vi.advanceTimersByTime(10);
    }
    expect(news.length).toBeLessThanOrEqual(1000 / FLUSH_INTERVAL_MS);
    buffer.flush();
    expect(news.flatMap(({ points }) => points.get('a')?.map(({ t_s }) => t_s))).toEqual(
      Array.from({ length: 100 }, (_, index) => index * 10),
    );
  });

  it('gathers what several hosts send of one instant, and waits no longer', () => {
    const { buffer, news } = buffered();
    buffer.pushPoints({ trial_id: 'a', points: [point(1)], read_at_us: 1_000_000 });
    vi.advanceTimersByTime(GATHERING_MS / 2);
    buffer.pushPoints({ trial_id: 'a', points: [point(2)], read_at_us: 1_000_007 });
    vi.advanceTimersByTime(GATHERING_MS / 2);
    expect(news).toEqual([{ points: new Map([['a', [point(1), point(2)]]]), readAtUs: 1_000_007 }]);
  });

  it('tells the run as it is by then, together with the points', () => {
    const { buffer, news } = buffered();
    buffer.pushRun({ live_seq: 1 });
    buffer.pushPoints({ trial_id: 'a', points: [point(1)] });
    buffer.pushRun({ live_seq: 2 });
    vi.advanceTimersByTime(GATHERING_MS);
    expect(news).toEqual([{ run: { live_seq: 2 }, points: new Map([['a', [point(1)]]]) }]);
    buffer.pushPoints({ trial_id: 'a', points: [point(2)] });
    vi.advanceTimersByTime(FLUSH_INTERVAL_MS);
    expect(news[1]?.run).toBeUndefined();
  });

  it('says nothing of the age of what is repeated', () => {
    const { buffer, news } = buffered();
    buffer.pushPoints({ trial_id: 'a', points: [point(1)] });
    buffer.flush();
    expect(news[0]?.readAtUs).toBeUndefined();
  });

  it('keeps trials apart', () => {
    const { buffer, news } = buffered();
    buffer.pushPoints({ trial_id: 'a', points: [point(1)] });
    buffer.pushPoints({ trial_id: 'b', points: [point(2)] });
    buffer.pushPoints({ trial_id: 'a', points: [point(3)] });
    buffer.flush();
    expect([...(news[0]?.points ?? [])]).toEqual([
      ['a', [point(1), point(3)]],
      ['b', [point(2)]],
    ]);
  });

  it('loses nothing when the page is left, and has nothing to say afterwards', () => {
    const { buffer, news } = buffered();
    buffer.pushPoints({ trial_id: 'a', points: [point(1)] });
    buffer.flush();
    vi.advanceTimersByTime(1000);
    buffer.flush();
    expect(news.map(({ points }) => points.get('a'))).toEqual([[point(1)]]);
  });
});
