import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aPage, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import RunsPage from './RunsPage';

const open = (query = '') => show(<RunsPage />, { path: '/runs', at: `/runs${query}` });

describe('RunsPage', () => {
  it('tells of each run its state, its result, where it ran and how long', async () => {
    const failed = aRunSummary({
      id: 'run-2',
      number: 2,
      state: 'failed',
      state_reason: 'nginx did not start.',
      headline: null,
      hosts: ['alpha', 'beta', 'alpha'],
      outcome: 'fail',
      verdict: 'not_valid',
    });
    const queued = aRunSummary({
      id: 'run-3',
      number: 3,
      state: 'queued',
      state_reason: 'alpha is busy.',
      headline: null,
      verdict: null,
      started_at: null,
      finished_at: null,
      note: 'at night',
    });
    const server = serve({ 'GET /runs': aPage([queued, failed, aRunSummary({ outcome: 'pass' })]) });
    open();
    const table = await screen.findByRole('table');
    expect(rowsOf(table)).toEqual([
      'Socket sharding #3at night | queued | – | alpha | – | 2 Jan 2026',
      'Socket sharding #2 | failednot validthresholds failed | nginx did not start. | alpha, beta | 1 min 5 s | 2 Jan 2026',
      'Socket sharding #1 | completedverdict decidedthresholds passed | reuseport served more requests. | alpha | 1 min 5 s | 2 Jan 2026',
    ]);
    expect(server.to('GET /runs')[0]?.query).toEqual({ limit: '50', offset: '0' });
  });

  it('opens a finished run at its report, any other at its live page', async () => {
    const running = aRunSummary({ id: 'run-2', number: 2, state: 'running', finished_at: null });
    serve({ 'GET /runs': aPage([running, aRunSummary()]) });
    open();
    const links = await screen.findAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/runs/run-2', '/runs/run-1/report']);
  });

  it('turns pages, and keeps the page in the address', async () => {
    const server = serve({ 'GET /runs': aPage([aRunSummary()], 120) });
    const { user, address } = open();
    await user.click(await screen.findByRole('button', { name: '3' }));
    await waitFor(() => expect(server.to('GET /runs').at(-1)?.query.offset).toBe('100'));
    expect(address()).toBe('/runs?page=3');
  });

  it('leads to a first experiment where nothing has been run', async () => {
    serve({ 'GET /runs': aPage([]) });
    open();
    expect(await screen.findByText('No runs yet')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'New experiment' })).toHaveAttribute('href', '/experiments/new');
  });

  it('shows what went wrong', async () => {
    serve({ 'GET /runs': problem(500, 'The database is away.') });
    open();
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away.');
  });
});
