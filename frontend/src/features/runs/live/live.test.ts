import { describe, expect, it } from 'vitest';
import type { RunDetail, TrialOut } from '@/api/generated';
import { trialBefore, trialsToShow } from './charts/liveLines';
import { applyRun, withNote } from './useRunStream';

const trial = (id: string, arm: string, position: number, state: TrialOut['state'], attempt = 1) =>
  ({ id, arm, position, state, attempt, block: 1 }) as TrialOut;
const arms = ['a', 'b', 'c'].map((key) => ({ key, label: key, is_baseline: key === 'a' }));

describe('applyRun', () => {
  const old = { state: 'running', may_change: true } as RunDetail;
  it('keeps what only this viewer may do when the stream, which is the same for all, leaves it out', () => {
    expect(applyRun(old, { state: 'completed' })).toEqual({ state: 'completed', may_change: true });
  });
  it('grants nothing that was never granted', () =>
    expect(applyRun(undefined, { state: 'running' }).may_change).toBe(false));
});

describe('trialsToShow', () => {
  it('puts the latest finished trial of each other arm behind the one in question', () => {
    const trials = [
      trial('a1', 'a', 0, 'completed'),
      trial('b1', 'b', 1, 'completed'),
      trial('b2', 'b', 2, 'completed'),
      trial('c1', 'c', 3, 'measuring'),
    ];
    expect(trialsToShow({ arms, trials }, trials[3] as TrialOut).map(({ id }) => id)).toEqual([
      'c1',
      'a1',
      'b2',
    ]);
  });

  it('does not take an attempt that was repeated', () => {
    const trials = [
      trial('lost', 'a', 0, 'lost'),
      trial('again', 'a', 0, 'completed', 2),
      trial('now', 'b', 1, 'measuring'),
    ];
    expect(trialsToShow({ arms, trials }, trials[2] as TrialOut).map(({ id }) => id)).toEqual([
      'now',
      'again',
    ]);
  });
});

describe('trialBefore', () => {
  const ran = (id: string, position: number) => ({
    ...trial(id, 'a', position, 'completed'),
    started_at: '2026-01-02T03:04:05Z',
    finished_at: '2026-01-02T03:04:15Z',
  });
  const trials = [ran('first', 0), ran('second', 1), trial('now', 'a', 2, 'warmup')];
  const progress = { current_trial_id: 'now' } as RunDetail['progress'];

  it('is the last that ran before the one under way', () =>
    expect(trialBefore({ trials, progress }, trials[2] as TrialOut)?.id).toBe('second'));
  it('is none of a trial that has ended: its own curves are there', () =>
    expect(trialBefore({ trials, progress }, trials[1] as TrialOut)).toBeUndefined());
});

describe('withNote', () => {
  const note = { trial_id: 't', severity: 'warning' as const, code: 'c', message: 'm' };
  it('tells a note once, however often a resumed stream repeats it', () => {
    expect(withNote(withNote([], note), note)).toEqual([note]);
    expect(withNote([note], { ...note, trial_id: 'u' })).toHaveLength(2);
  });
});
