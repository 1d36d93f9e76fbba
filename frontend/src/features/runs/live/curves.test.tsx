import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { CurveRate } from '@/api/generated';
import { aRun } from '@/test/fixtures';
import { showRunPage } from '../showRunPage.testdata';
import { pointsOf, withCurveEvent } from './curves';

const rate = (number: number, per_s: number, changes: Partial<CurveRate> = {}): CurveRate => ({
  number,
  t_s: number,
  seconds: 1,
  per_s,
  achieved_per_s: per_s,
  due: 100,
  served: 100,
  failed: 0,
  p50_us: 500,
  p90_us: 900,
  p99_us: 2000,
  p999_us: null,
  followed: true,
  cut_short: false,
  generator_late: false,
  ...changes,
});

describe('the rates of a curve', () => {
  it('are kept by trial, each once', () => {
    const first = { trial_id: 'a', planned: 4, rate: rate(1, 100) };
    let known = withCurveEvent([], { ...first, rate: rate(2, 50) });
    known = withCurveEvent(known, first);
    known = withCurveEvent(known, first);
    known = withCurveEvent(known, { ...first, trial_id: 'b' });
    expect(known.map(({ trial_id, rates }) => [trial_id, rates.map(({ number }) => number)])).toEqual([
      ['a', [1, 2]],
      ['b', [1]],
    ]);
  });

  it('have no latency where throughput did not follow or the generator was late, and nothing where both', () => {
    const points = pointsOf([
      rate(1, 400, { followed: false, achieved_per_s: 300 }),
      rate(2, 100),
      rate(3, 200, { generator_late: true }),
      rate(4, 500, { generator_late: true, followed: false }),
    ]);
    expect(points.map(({ per_s }) => per_s)).toEqual([100, 200, 400, 500]);
    expect(points.map(({ p99_us }) => p99_us?.mean ?? null)).toEqual([2000, null, null, null]);
    expect(points.map(({ throughput }) => throughput?.mean ?? null)).toEqual([100, 200, 300, null]);
  });
});

describe('the live page of a run that draws a curve', () => {
  it('shows each rate as it is tried', async () => {
    const running = aRun({ state: 'running' });
    const shown = { ...running, plan: { ...running.plan, draws_curve: true } };
    const { send } = showRunPage(shown);
    expect(
      await screen.findByText('The first rate begins with the measured window of each trial.'),
    ).toBeVisible();
    const trial_id = shown.progress.current_trial_id ?? shown.trials[0]?.id ?? '';
    await send('curve', { trial_id, planned: 10, rate: rate(1, 800) });
    await send('curve', { trial_id, planned: 10, rate: rate(2, 1600) });
    expect(await screen.findByText('2 of 10 rates tried.', { exact: false })).toBeVisible();
    const figure = screen.getByRole('figure', { name: 'Throughput against the rate' });
    expect(figure).toHaveTextContent('1,600 req/s: 1,600 req/s');
    expect(screen.getByRole('figure', { name: 'p99 against the rate' })).toHaveTextContent('800 req/s: 2 ms');
  });
});
