import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { CapacitySearch, CapacityTried } from '@/api/generated';
import { aRun, aTrial } from '@/test/fixtures';
import { showRunPage } from '../showRunPage.testdata';
import { withSearchEvent } from './searches';

const search = {
  stream: 'clients',
  goal: { p50_ms: null, p90_ms: null, p99_ms: 50, p999_ms: null, errors_percent: null },
  goal_text: 'p99 ≤ 50 ms',
  from_per_s: 100,
  to_per_s: 20_000,
  ended: null,
  capacity_per_s: null,
  low_per_s: null,
  high_per_s: null,
  met_per_s: null,
  missed_per_s: null,
  without_value: null,
  steps: [],
} satisfies CapacitySearch;
const step = (number: number, per_s: number, result: CapacityTried['result']) =>
  ({ number, per_s, result, reason: '', p99_us: 2000, due: 100, failed: 0 }) as CapacityTried;
const found = { ...search, ended: 'found' as const, capacity_per_s: 983, low_per_s: 970, high_per_s: 990 };

describe('events of a search', () => {
  it('are kept by trial, once, and what was found stays', () => {
    const first = { trial_id: 'a', search, step: step(1, 100, 'met') };
    let known = withSearchEvent([], first);
    known = withSearchEvent(known, { ...first, step: step(2, 200, 'missed') });
    known = withSearchEvent(known, { ...first, search: found, step: null });
    known = withSearchEvent(known, first);
    known = withSearchEvent(known, { ...first, trial_id: 'b' });
    expect(known.map(({ trial_id, steps, search: { ended } }) => [trial_id, steps.length, ended])).toEqual([
      ['a', 2, 'found'],
      ['b', 1, null],
    ]);
  });
});

describe('the live page of a run that searches', () => {
  const run = () => {
    const running = aRun({ state: 'running' });
    return { ...running, plan: { ...running.plan, searches: true } };
  };

  it('tells where the capacity lies so far, and then what was found', async () => {
    const shown = run();
    const { send } = showRunPage(shown);
    expect(await screen.findByText('A search begins with the measured window of each trial.')).toBeVisible();
    const trial_id = shown.progress.current_trial_id ?? shown.trials[0]?.id ?? '';
    await send('search', { trial_id, search, step: step(1, 800, 'met') });
    await send('search', { trial_id, search, step: step(2, 1600, 'missed') });
    expect(
      await screen.findByText(
        /the capacity at p99 ≤ 50 ms lies between 800 and 1,600 requests\/s: 2 rates tried/,
      ),
    ).toBeVisible();
    expect(screen.getByRole('figure', { name: 'Rates that were tried: p99' })).toBeVisible();
    await send('search', { trial_id, search: found, step: null });
    expect(
      await screen.findByText(/Capacity at p99 ≤ 50 ms: 983 requests\/s \(970 to 990 by this search alone\)/),
    ).toBeVisible();
  });

  it('says of a heat and of a profile what they are', async () => {
    const shown = run();
    const heat = aTrial(8, { heat: 1, block: 2 });
    const profile = aTrial(9, { block: 0, profile: true });
    const progress = { ...shown.progress, current_trial_id: null };
    const { send } = showRunPage({ ...shown, progress, trials: [...shown.trials, heat, profile] });
    await send('search', { trial_id: heat.id, search, step: step(1, 800, 'met') });
    expect(await screen.findByText(/heat 1, block 2\./)).toBeVisible();
    await send('search', { trial_id: profile.id, search, step: step(1, 800, 'met') });
    expect(await screen.findByText(/profile\./)).toBeVisible();
    expect(screen.queryByText(/block 0/)).not.toBeInTheDocument();
  });

  it('has no such panel where no stream searches', async () => {
    showRunPage(aRun({ state: 'running' }));
    await screen.findByRole('region', { name: 'Progress' });
    expect(screen.queryByText('Search for the capacity')).not.toBeInTheDocument();
  });
});
