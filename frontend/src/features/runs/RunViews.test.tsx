import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TrialOut } from '@/api/generated';
import { aRun, aTrial } from '@/test/fixtures';
import { ENDED, RATE, showRunPage } from './showRunPage.testdata';

const begun = (position: number, changes: Partial<TrialOut>) =>
  aTrial(position, { started_at: `2026-01-02T03:04:${10 + position * 15}Z`, ...changes });
const RUN = aRun({
  trials: [
    begun(0, { state: 'completed', finished_at: ENDED }),
    begun(1, { state: 'measuring', phase_at: ENDED }),
    aTrial(2),
    aTrial(3),
  ],
});
const stored = (labels: string[]) => ({
  trial_id: 'trial-1',
  arm: 'mutex-on',
  block: 1,
  live_seq: 1,
  actions: [],
  series: labels.map((label) => ({
    key: RATE.key,
    label,
    unit: RATE.unit,
    points: [0, 1, 2].map((t) => [t, 50_000 + t]),
  })),
});
const routes = (labels: string[]) => ({ 'GET /trials/trial-1/series': stored(labels) });
const charts = () => within(screen.getByRole('region', { name: 'Charts' }));
const view = (name: string) => charts().findByRole('radio', { name });

describe('views of a run', () => {
  it('show all trials on the axis of the run, from few points of each, and say so in the address', async () => {
    const { user, address, server } = showRunPage(RUN, routes(['wrk']), '?view=trial');
    await screen.findByText('block 1, running now');
    await user.click(await view('Whole run'));
    expect(address()).toBe('/runs/run-1?view=run');
    const chart = await screen.findByRole('figure', { name: /^Requests per second/ });
    expect(chart).toHaveTextContent('accept_mutex on');
    await waitFor(() => expect(chart.querySelector('path.recharts-curve')).toBeInTheDocument());
    const asked = server.to('GET /trials/trial-1/series').at(-1);
    expect(asked?.query.keys).toBeDefined();
    expect(Number(asked?.query.points)).toBeLessThan(600);
  });

  it('are opened by their address, and a pressed trial leads to its own charts', async () => {
    const { user, address } = showRunPage(RUN, routes(['wrk']), '?view=arms');
    expect(await screen.findByRole('radio', { name: 'Arms overlaid' })).toBeChecked();
    await user.click(screen.getByRole('button', { name: /^accept_mutex on, block 1, .*completed/ }));
    expect(await screen.findByText('block 1, completed')).toBeInTheDocument();
    expect(address()).toBe('/runs/run-1?trial=trial-1');
  });

  it.each(['', '?view=arms', '?view=run'])('compare arms in each of two streams: %s', async (query) => {
    showRunPage(RUN, routes(['main', 'probe']), query);
    const main = await screen.findByRole('figure', { name: /^Requests per second: main/ });
    expect(main).toHaveTextContent('accept_mutex on');
    expect(screen.getByRole('figure', { name: /^Requests per second: probe/ })).toBeInTheDocument();
  });
});
