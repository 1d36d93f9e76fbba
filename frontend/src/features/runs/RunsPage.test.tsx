import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { aPage, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { choose, rowsOf, show } from '@/test/show';
import RunsPage from './RunsPage';

const CHOICES = {
  'GET /runs/choices': {
    templates: ['reuseport'],
    hosts: ['alpha'],
    nginx: ['nginx/1.22.1'],
    people: [],
    tags: [],
  },
};
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
      answers: [],
      verdict: null,
      started_at: null,
      finished_at: null,
      note: 'at night',
    });
    const voided = aRunSummary({
      id: 'run-4',
      number: 4,
      verdict: 'not_valid',
      headline: 'Not valid: the generator was saturated. Undecided: more requests/s. Preview only.',
    });
    const server = serve({
      ...CHOICES,
      'GET /runs': aPage([queued, voided, failed, aRunSummary({ outcome: 'pass' })]),
    });
    open();
    const table = await screen.findByRole('table');
    expect(rowsOf(table)).toEqual([
      'Socket sharding #3at night | queued | – | alpha | – | 2 Jan 2026',
      'Socket sharding #4 | completednot valid | Not valid: the generator was saturated. | alpha | 1 min 5 s | 2 Jan 2026',
      'Socket sharding #2 | failednot validthresholds failed | nginx did not start. | alpha, beta | 1 min 5 s | 2 Jan 2026',
      'Socket sharding #1 | completedverdict decidedthresholds passed | More requests/s? Yes: +12 % | alpha | 1 min 5 s | 2 Jan 2026',
    ]);
    expect(server.to('GET /runs')[0]?.query).toEqual({ limit: '50', start: '0' });
  });

  it('says how many of several questions are decided, and all answers', async () => {
    const open_ = {
      question: 'Lower p99?',
      sign: 'open' as const,
      word: 'Not decided',
      text: '−4 % to +9 %',
    };
    const { answers = [] } = aRunSummary();
    serve({ ...CHOICES, 'GET /runs': aPage([aRunSummary({ answers: [...answers, open_] })]) });
    open();
    const [row] = rowsOf(await screen.findByRole('table'));
    expect(row).toMatch(
      /completed1 of 2 decided \| More requests\/s\? Yes: \+12 %Lower p99\? Not decided: −4 % to \+9 % \|/,
    );
  });

  it('opens a finished run at its report, any other at its live page', async () => {
    const running = aRunSummary({ id: 'run-2', number: 2, state: 'running', finished_at: null });
    serve({ ...CHOICES, 'GET /runs': aPage([running, aRunSummary()]) });
    open();
    const links = await screen.findAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/runs/run-2', '/runs/run-1/report']);
  });

  it('turns pages, and keeps the page in the address', async () => {
    const server = serve({ ...CHOICES, 'GET /runs': aPage([aRunSummary()], 120) });
    const { user, address } = open();
    await user.click(await screen.findByRole('button', { name: '3' }));
    await waitFor(() => expect(server.to('GET /runs').at(-1)?.query.start).toBe('100'));
    expect(address()).toBe('/runs?page=3');
    expect(screen.getByRole('status')).toHaveTextContent('120 runs');
  });

  it('leads to a first experiment where nothing has been run', async () => {
    serve({ ...CHOICES, 'GET /runs': aPage([]) });
    open();
    expect(await screen.findByText('No runs yet')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'New experiment' })).toHaveAttribute('href', '/experiments/new');
  });

  it('filters by words and choices in the address, and clears', async () => {
    const server = serve({ ...CHOICES, 'GET /runs': aPage([]) });
    const { user, address } = open('?verdict=undecided&state=odd&since=2026-01-01&sort=name');
    expect(await screen.findByText('No matches')).toBeInTheDocument();
    expect(server.to('GET /runs').at(-1)?.query).toEqual({
      verdict: 'undecided',
      since: '2026-01-01',
      order: 'name',
      ascending: 'true',
      limit: '50',
      start: '0',
    });
    await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'p99');
    await waitFor(() => expect(address()).toContain('search=p99'));
    await choose(user, 'nginx', 'nginx/1.22.1');
    await waitFor(() =>
      expect(server.to('GET /runs').at(-1)?.query).toMatchObject({ nginx: 'nginx/1.22.1' }),
    );
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    await waitFor(() => expect(address()).toBe('/runs'));
  });

  it('filters by a usual period, or by days', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 2, 15) });
    const server = serve({ ...CHOICES, 'GET /runs': aPage([]) });
    const { user, address } = open();
    await choose(user, 'Created (UTC)', 'Last month');
    await waitFor(() => expect(address()).toBe('/runs?since=2026-02-01&until=2026-02-28'));
    await waitFor(() =>
      expect(server.to('GET /runs').at(-1)?.query).toMatchObject({
        since: '2026-02-01',
        until: '2026-02-28',
      }),
    );
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-03-02' } });
    expect(await screen.findByText('From is after To')).toBeInTheDocument();
    vi.useRealTimers();
  });

  it('orders by a column, up and down', async () => {
    const server = serve({ ...CHOICES, 'GET /runs': aPage([aRunSummary()]) });
    const { user, address } = open();
    const header = await screen.findByRole('columnheader', { name: 'Created' });
    expect(header).toHaveAttribute('aria-sort', 'descending');
    await user.click(screen.getByRole('button', { name: 'Duration' }));
    await waitFor(() => expect(address()).toBe('/runs?sort=-duration'));
    await user.click(screen.getByRole('button', { name: 'Duration' }));
    await waitFor(() =>
      expect(server.to('GET /runs').at(-1)?.query).toMatchObject({ order: 'duration', ascending: 'true' }),
    );
  });

  it('leads to the comparison of the chosen runs; a run that goes on cannot be chosen', async () => {
    const other = aRunSummary({ id: 'run-2', number: 2 });
    const running = aRunSummary({ id: 'run-3', number: 3, state: 'running', finished_at: null });
    serve({ ...CHOICES, 'GET /runs': aPage([running, other, aRunSummary()]) });
    const { user } = open();
    expect(await screen.findByRole('checkbox', { name: 'Compare Socket sharding #3' })).toBeDisabled();
    await user.click(screen.getByRole('checkbox', { name: 'Compare Socket sharding #2' }));
    await user.click(screen.getByRole('checkbox', { name: 'Compare Socket sharding #1' }));
    expect(screen.getByRole('link', { name: 'Compare 2 runs' })).toHaveAttribute(
      'href',
      '/compare?runs=run-2,run-1',
    );
  });

  it('shows what went wrong', async () => {
    serve({ ...CHOICES, 'GET /runs': problem(500, 'The database is away.') });
    open();
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away.');
  });
});
