import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aHostRow, aPage, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { choose, rowsOf, show } from '@/test/show';
import HostsPage from './HostsPage';

const NO_RUNS = { 'GET /runs': aPage([]) };

describe('HostsPage', () => {
  it('lists each host with its health and what is installed', async () => {
    const bare = aHostRow({
      id: 'host-2',
      name: 'beta',
      state: 'offline',
      heartbeat_age_s: null,
      clock_offset_us: null,
      nginx: [],
      wrk_version: null,
    });
    serve({ 'GET /hosts': [aHostRow(), bare], ...NO_RUNS });
    show(<HostsPage />);
    expect(rowsOf(await screen.findByRole('table'))).toEqual([
      'alpha | idle | 2 s ago | +400 µs (± 150 µs) | 8 CPUs, 16.0 GiB | nginx-1.22.1 | 4.1.0',
      'beta | offline | never | not measured | 8 CPUs, 16.0 GiB | none | none',
    ]);
    expect(screen.getByRole('link', { name: 'alpha' })).toHaveAttribute('href', '/hosts/host-1');
  });

  it('shows the queue, oldest first, and why each run waits', async () => {
    const waiting = (number: number) =>
      aRunSummary({ id: `run-${number}`, number, state: 'queued', state_reason: 'alpha is busy.' });
    serve({ 'GET /hosts': [aHostRow()], 'GET /runs': aPage([waiting(3), aRunSummary(), waiting(2)]) });
    show(<HostsPage />);
    await screen.findByRole('heading', { name: 'Queue' });
    const queued = screen.getAllByRole('link', { name: /^Socket sharding #/ });
    expect(queued.map((link) => link.getAttribute('href'))).toEqual(['/runs/run-2', '/runs/run-3']);
    expect(screen.getAllByText('alpha is busy.')).toHaveLength(2);
  });

  it('says what to do where there is no host', async () => {
    serve({ 'GET /hosts': [], ...NO_RUNS });
    show(<HostsPage />, { role: 'administrator' });
    expect(await screen.findByText('No hosts yet')).toBeInTheDocument();
    expect(screen.getAllByRole('button', { name: 'Add host' })).toHaveLength(2);
  });

  it('offers no new host to whom the server would refuse it', async () => {
    serve({ 'GET /hosts': [aHostRow()], ...NO_RUNS });
    show(<HostsPage />, { role: 'experimenter' });
    await screen.findByRole('link', { name: 'alpha' });
    expect(screen.queryByRole('button', { name: 'Add host' })).not.toBeInTheDocument();
  });

  it('shows what went wrong, and tries again when asked', async () => {
    const server = serve({ 'GET /hosts': problem(500, 'The database is away.'), ...NO_RUNS });
    const { user } = show(<HostsPage />);
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away.');
    server.answer('GET /hosts', [aHostRow()]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'alpha' })).toBeInTheDocument();
  });
});

describe('The dialog that adds a host', () => {
  const bundle = { sha256: 'a'.repeat(64), size_bytes: 1, machine: 'x86_64', python: '3.11' };
  const joining = { server: 'http://lab:8400', bundle, obstacles: [] as string[] };

  async function openDialog(answer: unknown, known: unknown = joining) {
    const server = serve({
      'GET /hosts': [aHostRow()],
      'GET /hosts/joining': known,
      'POST /hosts/enrolment-tokens': answer,
      ...NO_RUNS,
    });
    const { user } = show(<HostsPage />, { role: 'administrator' });
    await user.click(screen.getByRole('button', { name: 'Add host' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a host' }));
    return { server, user, dialog };
  }

  it('makes a token of the chosen life, and shows the command that joins with it', async () => {
    const command = '{ curl -fsS http://lab:8400/api/v1/agent/join.sh && echo ngxlab_join nge_secret; } | sh';
    const { server, user, dialog } = await openDialog({
      token: 'nglh_secret',
      command,
      expires_at: '2026-01-02T03:04:05Z',
    });
    await choose(user, 'The token is valid for', '7 days');
    await user.click(dialog.getByRole('button', { name: 'Create token' }));
    expect(await dialog.findByText(command)).toBeInTheDocument();
    expect(server.bodies('POST /hosts/enrolment-tokens')).toEqual([{ expires_in_minutes: 10_080 }]);
    await user.click(dialog.getByRole('button', { name: 'Copy join command' }));
    expect(await navigator.clipboard.readText()).toBe(command);
  });

  it('says before what stands in the way, and what a machine must have', async () => {
    const obstacle = "The server's address is http://localhost:8400, which means each machine itself.";
    const { dialog } = await openDialog(null, { ...joining, obstacles: [obstacle] });
    expect(await dialog.findByRole('alert')).toHaveTextContent(`No other machine can join yet${obstacle}`);
    expect(dialog.getByText(/^It needs Debian 12/)).toHaveTextContent(
      /must reach http:\/\/lab:8400\. The agent brings its packages for Python 3\.11/,
    );
    expect(dialog.getByRole('button', { name: 'Create token' })).toBeEnabled();
  });

  it('says so where that is not to be learnt, and tries again', async () => {
    const { server, user, dialog } = await openDialog(null, problem(500, 'The database is away.'));
    expect(await dialog.findByRole('alert')).toHaveTextContent('The database is away.');
    server.answer('GET /hosts/joining', joining);
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByText(/^It needs Debian 12/)).toBeInTheDocument();
  });

  it('says so where there is no token', async () => {
    const { user, dialog } = await openDialog(problem(403, 'This needs the role administrator.'));
    await user.click(dialog.getByRole('button', { name: 'Create token' }));
    expect(await screen.findByText('This needs the role administrator.')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Create token' })).toBeEnabled();
  });
});
