import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Role } from '@/api/generated';
import { byExperiment } from '@/test/byExperiment';
import { anExperimentSummary, aPage, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import ExperimentsPage from './ExperimentsPage';

const LIST = 'GET /experiments';
const RUNS = 'GET /runs/by-experiment';
const open = (query = '', role: Role = 'experimenter') =>
  show(<ExperimentsPage />, { path: '/experiments', at: `/experiments${query}`, role });

describe('ExperimentsPage', () => {
  it('tells of each experiment where it comes from, and what its last run showed', async () => {
    const own = anExperimentSummary({
      id: 'experiment-2',
      name: 'Keep-alive',
      template_key: null,
    });
    const failed = anExperimentSummary({
      id: 'experiment-3',
      name: 'Buffering',
    });
    const failedRun = aRunSummary({
      experiment_id: failed.id,
      number: 4,
      state: 'failed',
      headline: null,
      answers: [],
      state_reason: 'No answer.',
    });
    const server = serve({
      [LIST]: aPage([own, failed, anExperimentSummary()]),
      [RUNS]: byExperiment(failedRun, aRunSummary()),
    });
    open();
    await screen.findByText('never run');
    expect(server.to(RUNS)).toHaveLength(1);
    expect(rowsOf(screen.getByRole('table'))).toEqual([
      'Keep-alive | none | never run | – | me@example.org',
      'Buffering | reuseport | failedverdict decided#4, 2 Jan 2026 | No answer. | me@example.org',
      'Socket sharding | reuseport | completedverdict decided#1, 2 Jan 2026 | More requests/s? Yes: +12 % | me@example.org',
    ]);
    expect(screen.getByRole('link', { name: 'Keep-alive' })).toHaveAttribute(
      'href',
      '/experiments/experiment-2',
    );
  });

  it('searches by name, and keeps the search in the address', async () => {
    const server = serve({ [RUNS]: [], [LIST]: aPage([anExperimentSummary()]) });
    const { user, address } = open();
    await user.type(screen.getByRole('searchbox', { name: 'Search experiments' }), 'socket');
    await waitFor(() => expect(server.to(LIST).at(-1)?.query.search).toBe('socket'));
    expect(address()).toBe('/experiments?q=socket');
  });

  it('shows the archive by keyboard, and what to do where nothing matches', async () => {
    const server = serve({ [RUNS]: [], [LIST]: aPage([]), 'GET /recipes': aPage([]) });
    const { user, address } = open();
    await screen.findByRole('heading', { name: 'What do you want to know?' });
    expect(server.to(LIST)[0]?.query).toMatchObject({ archived: 'false', limit: '50', start: '0' });
    screen.getByRole('radio', { name: 'Active' }).focus();
    await user.keyboard('{ArrowRight}');
    expect(await screen.findByText('No matches')).toBeInTheDocument();
    expect(server.to(LIST).at(-1)?.query.archived).toBe('true');
    expect(address()).toBe('/experiments?show=archived');
  });

  it('turns pages', async () => {
    const server = serve({ [RUNS]: [], [LIST]: aPage([anExperimentSummary()], 51) });
    const { user, address } = open();
    await user.click(await screen.findByRole('button', { name: '2' }));
    await waitFor(() => expect(server.to(LIST).at(-1)?.query.start).toBe('50'));
    expect(address()).toBe('/experiments?page=2');
  });

  it('offers a new experiment only to whom the server would let make one', async () => {
    serve({ [RUNS]: [], [LIST]: aPage([anExperimentSummary()]) });
    const { unmount } = open('', 'viewer');
    await screen.findByRole('table');
    expect(screen.queryByRole('link', { name: 'New experiment' })).not.toBeInTheDocument();
    unmount();
    open();
    expect(await screen.findByRole('link', { name: 'New experiment' })).toHaveAttribute(
      'href',
      '/experiments/new',
    );
  });

  it('shows what went wrong, and tries again when asked', async () => {
    const server = serve({ [RUNS]: [], [LIST]: problem(500, 'The database is away.') });
    const { user } = open();
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away.');
    server.answer(LIST, aPage([anExperimentSummary()]));
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'Socket sharding' })).toBeInTheDocument();
  });
});
