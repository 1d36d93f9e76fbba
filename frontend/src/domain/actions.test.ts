import { describe, expect, it } from 'vitest';
import type { ActionMark } from '@/api/generated';
import { describeAction, mergeActions, summarize } from './actions';

const mark = (number: number, part: Partial<ActionMark> = {}): ActionMark => ({
  perturbation: 'churn',
  action: 'churn',
  number,
  t_s: number,
  ended_s: number + 0.25,
  ok: true,
  skipped: false,
  status: null,
  detail: '',
  host: 'one',
  ...part,
});

describe('actions', () => {
  it('are known once, by host, perturbation and number, the later word counting', () => {
    const begun = mark(1, { ended_s: null });
    expect(mergeActions([begun], [mark(1)])).toEqual([mark(1)]);
    expect(mergeActions([mark(1)], [begun])).toEqual([mark(1)]);
    const others = [mark(1, { host: 'two' }), mark(1, { perturbation: 'sync' })];
    expect(mergeActions([mark(1)], others)).toHaveLength(3);
  });

  it('stand in the order of time', () => {
    expect(mergeActions([mark(3)], [mark(1), mark(2)]).map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('say what happened', () => {
    expect(describeAction(mark(2))).toBe('churn 2 took 250\u00a0ms');
    expect(describeAction(mark(2, { ok: false, status: 409, detail: 'busy' }))).toBe(
      'churn 2 failed after 250\u00a0ms: HTTP 409, busy',
    );
    expect(describeAction(mark(2, { ok: false, skipped: true }))).toContain('skipped');
    expect(describeAction(mark(2, { ended_s: null }))).toBe('churn 2 is still running');
  });

  it('are summed up as the backend does: skipped ones count, but took no time and failed in nothing', () => {
    const marks = [mark(1), mark(2, { ended_s: 2.75, ok: false }), mark(3, { ok: false, skipped: true })];
    expect(summarize(marks)).toEqual([
      {
        perturbation: 'churn',
        action: 'churn',
        host: 'one',
        count: 3,
        failed: 1,
        skipped: 1,
        mean_s: 0.5,
        max_s: 0.75,
      },
    ]);
    expect(summarize([mark(1, { ended_s: null })])).toMatchObject([{ mean_s: null, max_s: null }]);
  });
});
