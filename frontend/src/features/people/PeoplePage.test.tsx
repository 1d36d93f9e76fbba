import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { anAccount } from '@/test/fixtures';
import { problem, serve as serveAll } from '@/test/server';
import { choose, rowsOf, show } from '@/test/show';
import PeoplePage from './PeoplePage';

const other = anAccount({ id: 'account-2', email: 'other@example.org', role: 'viewer' });
const made = {
  account: { ...other, must_change_password: true },
  password: 'made-up-password',
  expires_at: '2026-01-05T03:04:05Z',
};
const NO_LINKS = { items: [], next: null, total: 0 };
const serve = (routes: Record<string, unknown>) =>
  serveAll({ 'GET /shares': NO_LINKS, 'GET /schedules': [], ...routes });
const open = (role: 'experimenter' | 'administrator' = 'administrator') =>
  show(<PeoplePage />, { path: '/people', role });

async function add(email: string) {
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Add person' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a person' }));
  await user.type(dialog.getByLabelText('E-mail'), email);
  return { user, dialog };
}

describe('PeoplePage', () => {
  it('lists every link that can be opened, and revokes one', async () => {
    const link = {
      id: 'share-1',
      kind: 'report',
      what: 'Socket sharding #3',
      run_id: 'run-1',
      label: 'for the blog',
      created_by: 'gone@example.org',
      by_token: null,
      created_at: '2026-01-02T03:04:05Z',
      expires_at: null,
      works: false,
      opened: 7,
      last_opened_at: null,
    };
    const server = serve({
      'GET /accounts': [],
      'GET /shares': { items: [link], next: null, total: 1 },
      'DELETE /shares/share-1': null,
    });
    const { user } = open();
    const row = await screen.findByRole('row', { name: /Socket sharding #3/ });
    expect(row).toHaveTextContent('gone@example.org, who is disabled: the link pauses');
    server.answer('GET /shares', NO_LINKS);
    await user.click(within(row).getByRole('button', { name: 'Revoke' }));
    const dialog = await screen.findByRole('dialog', { name: 'Revoke the link to Socket sharding #3?' });
    await user.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText('Nothing is shared.')).toBeInTheDocument();
    expect(server.to('DELETE /shares/share-1')).toHaveLength(1);
  });

  it('lists the schedules of everybody, and which pause since their owner is disabled', async () => {
    const schedule = {
      id: 'schedule-1',
      experiment_id: 'experiment-1',
      experiment_name: 'Socket sharding',
      created_by: 'gone@example.org',
      created_at: '2026-01-02T03:04:05Z',
      may_change: true,
      timing: null,
      text: 'every day at 02:00, UTC',
      state: 'paused',
      pause_reason: 'Its owner was disabled.',
      by_token: null,
      next_at: null,
      last_day: null,
      most_runs: null,
      started: 3,
      latest: [],
    };
    const ended = { ...schedule, id: 'schedule-2', experiment_name: 'Over', state: 'ended' };
    serve({ 'GET /accounts': [], 'GET /schedules': [schedule, ended] });
    open();
    const row = await screen.findByRole('row', { name: /Socket sharding/ });
    expect(row).toHaveTextContent('gone@example.org');
    expect(row).toHaveTextContent('Its owner was disabled.');
    expect(within(row).getByRole('button', { name: /^Resume/ })).toBeInTheDocument();
    expect(screen.queryByText('Over')).not.toBeInTheDocument();
  });

  it('makes a team, changes who is in it, and says why one is kept', async () => {
    const edge = { id: 'team-1', name: 'Edge', members: [{ id: other.id, email: other.email }] };
    const kept = 'Experiments or hosts belong to Edge.';
    const server = serve({
      'GET /accounts': [anAccount({ id: 'account-1' }), other],
      'POST /teams': edge,
      'PATCH /teams/team-1': { ...edge, members: [] },
      'DELETE /teams/team-1': problem(409, kept, 'team-owns-something'),
    });
    const { user } = open();
    expect(await screen.findByText(/^There is no team/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Add team' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a team' }));
    await user.type(dialog.getByLabelText('Name'), 'Edge');
    await user.click(dialog.getByRole('combobox', { name: 'Members' }));
    await user.click(await screen.findByRole('option', { name: other.email }));
    server.answer('GET /teams', [edge]);
    await user.click(dialog.getByRole('button', { name: 'Create team' }));
    const row = within(await screen.findByRole('row', { name: /Edge/ }));
    expect(row.getByText(other.email)).toBeInTheDocument();
    expect(server.bodies('POST /teams')).toEqual([{ name: 'Edge', members: [other.id] }]);

    await user.click(row.getByRole('button', { name: 'Change' }));
    const change = within(await screen.findByRole('dialog', { name: 'Change team' }));
    await user.click(change.getByRole('combobox', { name: 'Members' }));
    await user.keyboard('{Backspace}');
    await user.click(change.getByRole('button', { name: 'Save' }));
    await screen.findByRole('row', { name: /Edge/ });
    expect(server.bodies('PATCH /teams/team-1')).toEqual([{ name: 'Edge', members: [] }]);

    await user.click(screen.getByRole('button', { name: 'Remove' }));
    const asked = within(await screen.findByRole('dialog', { name: 'Remove the team Edge?' }));
    await user.click(asked.getByRole('button', { name: 'Remove team' }));
    expect(await screen.findByText(kept)).toBeInTheDocument();
  });

  it('lists who may sign in, in words', async () => {
    const gone = anAccount({ id: 'account-3', email: 'gone@example.org', disabled_at: other.created_at });
    serve({ 'GET /accounts': [anAccount({ role: 'administrator' }), made.account, gone] });
    const { user, address } = open();
    const rows = rowsOf(await screen.findByRole('table'));
    expect(rows.map((row) => row.split(' | ').slice(0, 3))).toEqual([
      ['me@example.org (you)', 'Administrator', 'active'],
      ['other@example.org', 'Viewer', 'one-time password'],
      ['gone@example.org', 'Experimenter', 'deactivated'],
    ]);
    await user.click(screen.getByRole('link', { name: 'other@example.org' }));
    expect(address()).toBe('/people/account-2');
  });

  it('makes an account, and shows its one-time password once', async () => {
    const server = serve({ 'GET /accounts': [], 'POST /accounts': made });
    const { user, dialog } = await add('other@example.org');
    await choose(user, 'Role', 'Viewer');
    await user.click(dialog.getByRole('button', { name: 'Create account' }));
    const shown = within(await screen.findByRole('dialog', { name: 'One-time password' }));
    expect(shown.getByText('made-up-password')).toBeInTheDocument();
    expect(server.bodies('POST /accounts')).toEqual([{ email: 'other@example.org', role: 'viewer' }]);
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'Add person' }));
    expect(screen.queryByText('made-up-password')).not.toBeInTheDocument();
  });

  it('shows at the address why there is no new account', async () => {
    const errors = [{ field: 'email', message: 'other@example.org already has an account.' }];
    serve({ 'GET /accounts': [], 'POST /accounts': problem(409, 'Taken.', 'email-taken', errors) });
    const { user, dialog } = await add('nonsense{Enter}');
    expect(await dialog.findByText('Enter an address such as name@domain')).toBeInTheDocument();
    await user.clear(dialog.getByLabelText('E-mail'));
    await user.type(dialog.getByLabelText('E-mail'), 'other@example.org{Enter}');
    await dialog.findByText(/already has an account/);
    expect(dialog.getByLabelText('E-mail')).toHaveAccessibleDescription(errors[0]?.message);
  });

  it('asks the server for nothing where an administrator is needed', () => {
    const server = serve({});
    open('experimenter');
    expect(screen.getByText('Only administrators manage people')).toBeInTheDocument();
    expect(server.to('GET /accounts')).toEqual([]);
  });
});
