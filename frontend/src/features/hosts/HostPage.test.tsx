import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { HostDetail, Inventory, Role } from '@/api/generated';
import { aHost } from '@/test/fixtures';
import { plain } from '@/test/plain';
import { problem, type Sent, serve } from '@/test/server';
import { choose, rowsOf, show } from '@/test/show';
import HostPage from './HostPage';

const open = (role: Role = 'administrator') =>
  show(<HostPage />, { path: '/hosts/:hostId', at: '/hosts/host-1', role });

describe('HostPage', () => {
  it('shows what the host is, can do, and does', async () => {
    serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost({ state: 'busy', run_id: 'run-1' }),
    });
    open('viewer');
    expect(await screen.findByRole('heading', { name: 'alpha' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Open the run' })).toHaveAttribute('href', '/runs/run-1');
    expect(rowsOf(screen.getByRole('table'))).toEqual(['perf | no | perf_event_paranoid is 3']);
    const facts = screen
      .getAllByRole('term')
      .map((term) => `${term.textContent}: ${term.nextSibling?.textContent}`);
    expect(facts).toContain('CPU: Test CPU (8 logical, 4 physical, 2600 MHz)');
    expect(facts).toContain('Network: eth0, 1000 Mbit/s, MTU 1500, 192.0.2.1');
    expect(facts.map(plain)).toContain('Clock offset to the server: +400 µs (± 150 µs)');
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('shows what its owner allows, and what holds where the owner says nothing', async () => {
    const { inventory } = aHost();
    const caps = { allow_targets: ['10.0.0.0/24'], max_processes: 2000, max_memory_bytes: null };
    serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost({ inventory: { ...(inventory as Inventory), caps } }),
    });
    open('viewer');
    expect(await screen.findByText('itself, 10.0.0.0/24')).toBeInTheDocument();
    expect(screen.getByText('at most 2,000')).toBeInTheDocument();
    expect(screen.getByText("three quarters of the host's memory")).toBeInTheDocument();
  });

  it('opens with an inventory that cannot be read', async () => {
    serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost({ inventory: null, cpu_logical: null, memory_bytes: null }),
    });
    open('viewer');
    expect(
      await screen.findByText(/stored inventory cannot be read\. The agent sends it again/),
    ).toBeInTheDocument();
  });

  it('drains the host, and takes it back', async () => {
    let host = aHost();
    const server = serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': () => host,
      'POST /hosts/host-1/drain': ({ body }: Sent) => {
        host = aHost(body as Pick<HostDetail, 'draining'>);
        return host;
      },
    });
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Drain' }));
    expect(await screen.findByText('not accepted: draining')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Accept runs again' }));
    expect(await screen.findByText('accepted')).toBeInTheDocument();
    expect(server.bodies('POST /hosts/host-1/drain')).toEqual([{ draining: true }, { draining: false }]);
  });

  it('is given to a team, and back to everybody', async () => {
    const edge = { id: 'team-1', name: 'Edge' };
    let host = aHost();
    const server = serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': () => host,
      'GET /teams': [{ ...edge, members: [] }],
      'PUT /hosts/host-1/team': ({ body }: Sent) => {
        host = aHost({ team: (body as { team_id: string | null }).team_id ? edge : null });
        return host;
      },
    });
    const { user } = open();
    for (const [to, shown] of [
      ['Edge', 'team Edge'],
      ['Everybody', undefined],
    ] as const) {
      await user.click(await screen.findByRole('button', { name: 'Team' }));
      const dialog = within(await screen.findByRole('dialog', { name: 'Team of alpha' }));
      await choose(user, 'Who may run on it', to);
      await user.click(dialog.getByRole('button', { name: 'Save' }));
      if (shown) expect(await screen.findByText(shown)).toBeInTheDocument();
      else await waitFor(() => expect(screen.queryByText('team Edge')).not.toBeInTheDocument());
    }
    expect(server.bodies('PUT /hosts/host-1/team')).toEqual([{ team_id: 'team-1' }, { team_id: null }]);
  });

  it('says what to do where a credential is in use twice, and renews it once confirmed', async () => {
    const state_detail = 'This host has 2 agents with one credential.';
    const command = 'ngxlab host join http://lab nge_secret';
    const server = serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost({ state: 'conflict', state_detail }),
      'POST /hosts/host-1/renew-credential': { token: 't', command, expires_at: '2026-01-02T03:04:05Z' },
    });
    const { user } = open();
    expect(await screen.findByRole('alert')).toHaveTextContent(`Credential in use twice${state_detail}`);
    expect(screen.getByText('not accepted: several agents use its credential')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Renew credential' }));
    const dialog = await screen.findByRole('dialog', { name: 'Renew the credential of alpha?' });
    expect(server.to('POST /hosts/host-1/renew-credential')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Renew credential' }));
    expect(await within(dialog).findByText(command)).toBeInTheDocument();
  });

  it('tells an agent that must be upgraded from one that may be', async () => {
    const upgrade = 'Upgrade the agent when it suits you.';
    const upgrade_command = '{ fetch it && echo ngxlab_upgrade; } | sh';
    const server = serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost({ protocol: '2.0', upgrade, upgrade_command }),
    });
    open('viewer');
    const note = await screen.findByRole('note');
    expect(note).toHaveTextContent(`Upgrade available${upgrade}`);
    expect(note).toHaveTextContent(upgrade_command);
    expect(screen.getByText('version 0.1.0, protocol 2.0')).toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    server.answer(
      'GET /hosts/host-1',
      aHost({ state: 'upgrade', state_detail: 'Needs an upgrade.', upgrade, upgrade_command }),
    );
    open('viewer');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Upgrade neededNeeds an upgrade.Run this line on the host');
    expect(within(alert).getByText(upgrade_command)).toBeInTheDocument();
  });

  it('says that the agent cannot reach Redis', async () => {
    const state_detail = 'This host cannot reach Redis since 2026-01-02 03:04:05 UTC (connection refused).';
    serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost({ state: 'no-redis', state_detail }),
    });
    open('viewer');
    expect(await screen.findByRole('alert')).toHaveTextContent(`Redis cannot be reached${state_detail}`);
    expect(screen.getByText('wait: it cannot reach Redis')).toBeInTheDocument();
  });

  it('removes the host only after it has asked, and leads back to the list', async () => {
    const server = serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost(),
      'DELETE /hosts/host-1': null,
    });
    const { user, address } = open();
    await user.click(await screen.findByRole('button', { name: 'Remove' }));
    await screen.findByRole('dialog', { name: 'Remove alpha?' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.to('DELETE /hosts/host-1')).toEqual([]);

    await user.click(screen.getByRole('button', { name: 'Remove' }));
    const dialog = await screen.findByRole('dialog', { name: 'Remove alpha?' });
    await user.click(within(dialog).getByRole('button', { name: 'Remove host' }));
    await waitFor(() => expect(address()).toBe('/hosts'));
    expect(server.to('DELETE /hosts/host-1')).toHaveLength(1);
  });

  it('stays where the host cannot be removed, and says why', async () => {
    const detail = 'The host takes part in a run.';
    serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': aHost(),
      'DELETE /hosts/host-1': problem(409, detail),
    });
    const { user, address } = open();
    await user.click(await screen.findByRole('button', { name: 'Remove' }));
    await user.click(await screen.findByRole('button', { name: 'Remove host' }));
    expect(await screen.findByText(detail)).toBeInTheDocument();
    expect(address()).toBe('/hosts/host-1');
  });

  it('says that there is no such host', async () => {
    serve({
      'GET /hosts/host-1/calibrations': [],
      'GET /hosts/host-1': problem(404, 'There is no such host.', 'not-found'),
    });
    open();
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such host.');
    expect(screen.getByText('404 · not-found')).toBeInTheDocument();
  });
});
