import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { CurvePoint } from '@/api/generated';
import { aRun, aTrial } from '@/test/fixtures';
import { showRunPage } from '../showRunPage.testdata';
import { pointsOf, withCurveEvent } from './curves';

const figure = (mean: number) => ({ mean, low: null, high: null });
const point = (per_s: number): CurvePoint => ({
  per_s,
  trials: 1,
  followed: 1,
  late: 0,
  throughput: figure(per_s),
  errors_percent: figure(0),
  p50_us: figure(500),
  p90_us: figure(900),
  p99_us: figure(2000),
  p999_us: null,
});

describe('the rates of a curve', () => {
  it('are kept by trial, each once, and stand from the lowest up', () => {
    const first = { trial_id: 'a', planned: 4, number: 1, point: point(100) };
    let known = withCurveEvent([], { ...first, number: 2, point: point(50) });
    known = withCurveEvent(known, first);
    known = withCurveEvent(known, first);
    known = withCurveEvent(known, { ...first, trial_id: 'b' });
    expect(known.map((one) => [one.trial_id, pointsOf(one).map(({ per_s }) => per_s)])).toEqual([
      ['a', [50, 100]],
      ['b', [100]],
    ]);
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
    await send('curve', { trial_id, planned: 10, number: 1, point: point(800) });
    await send('curve', { trial_id, planned: 10, number: 2, point: point(1600) });
    expect(await screen.findByText('2 of 10 rates tried.', { exact: false })).toBeVisible();
    const figure = screen.getByRole('figure', { name: 'Throughput against the rate' });
    expect(figure).toHaveTextContent('1,600 req/s: 1,600 req/s');
    expect(screen.getByRole('figure', { name: 'p99 against the rate' })).toHaveTextContent('800 req/s: 2 ms');
  });

  it('keeps what an arm measured while it is profiled', async () => {
    const running = aRun({ state: 'running' });
    const [first] = running.trials;
    const arm = first?.arm ?? '';
    const profile = aTrial(9, { arm, block: 0, profile: true });
    const progress = { ...running.progress, current_trial_id: profile.id };
    const plan = { ...running.plan, draws_curve: true };
    const { send } = showRunPage({ ...running, plan, progress, trials: [...running.trials, profile] });
    await send('curve', { trial_id: first?.id, planned: 10, number: 1, point: point(800) });
    await send('curve', { trial_id: profile.id, planned: 10, number: 1, point: point(400) });
    expect(await screen.findByText(/profile\. 1 of 10 rates tried\./)).toBeVisible();
    const figure = screen.getByRole('figure', { name: 'Throughput against the rate' });
    expect(figure).toHaveTextContent('800 req/s');
    expect(figure).not.toHaveTextContent('400 req/s');
  });
});
