import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TokenOut } from '@/api/generated';
import { anAccount } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { choose, show } from '@/test/show';
import AccountPage from './AccountPage';

const NO_PROVIDER = { 'GET /accounts/identities': { enabled: false, identities: [], permitted: {} } };

const open = (tab: string, role: 'experimenter' | 'administrator' = 'experimenter') =>
  show(<AccountPage />, { path: '/account', at: `/account?tab=${tab}`, role });

describe('AccountPage', () => {
  it('shows who is signed in, and the tabs of the role by keyboard', async () => {
    serve({ 'GET /auth/tokens': [] });
    const { user, address } = open('password');
    expect(screen.getByText('me@example.org, experimenter')).toBeInTheDocument();
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Password', 'API tokens']);
    screen.getByRole('tab', { name: 'Password' }).focus();
    await user.keyboard('{ArrowRight}');
    expect(await screen.findByText('No tokens')).toBeInTheDocument();
    expect(address()).toBe('/account?tab=tokens');
  });
});

describe('The password tab', () => {
  async function fillIn(repeated = 'new password') {
    const { user } = open('password');
    await user.type(screen.getByLabelText('Current password'), 'old password');
    await user.type(screen.getByLabelText('New password'), 'new password');
    await user.type(screen.getByLabelText('Repeat new password'), `${repeated}{Enter}`);
  }

  it('changes the password, and forgets what was typed', async () => {
    const server = serve({ 'POST /auth/password': null });
    await fillIn();
    expect(await screen.findByText(/Password changed/)).toBeInTheDocument();
    expect(server.bodies('POST /auth/password')).toEqual([
      { current_password: 'old password', new_password: 'new password' },
    ]);
    expect(screen.getByLabelText('Current password')).toHaveValue('');
  });

  it('sends nothing while the two new passwords differ', async () => {
    const server = serve({});
    await fillIn('another password');
    expect(await screen.findByText('The new passwords do not match')).toBeInTheDocument();
    expect(server.to('POST /auth/password')).toEqual([]);
  });

  it('shows a refusal at its field', async () => {
    const errors = [{ field: 'current_password', message: 'This is not your current password.' }];
    serve({ 'POST /auth/password': problem(422, 'Refused.', 'invalid', errors) });
    await fillIn();
    await screen.findByText('This is not your current password.');
    expect(screen.getByLabelText('Current password')).toHaveAccessibleDescription(errors[0]?.message);
  });
});

describe('The tokens tab', () => {
  const token: TokenOut = {
    id: 'token-1',
    name: 'CI',
    created_at: '2026-01-02T03:04:05Z',
    expires_at: null,
    last_used_at: null,
  };

  it('shows the secret of a new token once', async () => {
    const server = serve({ 'GET /auth/tokens': [], 'POST /auth/tokens': { ...token, token: 'nglt_secret' } });
    const { user, unmount } = open('tokens');
    expect(screen.getByRole('button', { name: 'Create token' })).toBeDisabled();
    await user.type(screen.getByLabelText('Name'), ' CI ');
    await choose(user, 'Valid for', 'Until revoked');
    server.answer('GET /auth/tokens', [token]);
    await user.click(screen.getByRole('button', { name: 'Create token' }));
    expect(await screen.findByText('nglt_secret')).toBeInTheDocument();
    expect(server.bodies('POST /auth/tokens')).toEqual([{ name: 'CI', expires_in_days: null }]);
    expect(await screen.findByRole('cell', { name: 'CI' })).toBeInTheDocument();
    unmount();
    open('tokens');
    expect(await screen.findByRole('cell', { name: 'CI' })).toBeInTheDocument();
    expect(screen.queryByText('nglt_secret')).not.toBeInTheDocument();
  });

  it('revokes a token only after it has asked', async () => {
    const server = serve({ 'GET /auth/tokens': [token], 'DELETE /auth/tokens/token-1': null });
    const { user } = open('tokens');
    await user.click(await screen.findByRole('button', { name: 'Revoke' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.to('DELETE /auth/tokens/token-1')).toEqual([]);

    await user.click(screen.getByRole('button', { name: 'Revoke' }));
    const dialog = await screen.findByRole('dialog', { name: 'Revoke CI?' });
    server.answer('GET /auth/tokens', []);
    await user.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText('No tokens')).toBeInTheDocument();
    expect(server.to('DELETE /auth/tokens/token-1')).toHaveLength(1);
  });

  it('offers another try where the list cannot be read', async () => {
    const server = serve({ 'GET /auth/tokens': problem(500, 'The database is away.') });
    const { user } = open('tokens');
    expect(await screen.findByText('The database is away.')).toBeInTheDocument();
    server.answer('GET /auth/tokens', [token]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('cell', { name: 'CI' })).toBeInTheDocument();
  });
});

describe('The accounts tab', () => {
  const other = anAccount({ id: 'account-2', email: 'other@example.org', role: 'viewer' });
  const accounts = [anAccount({ role: 'administrator' }), other];
  const rowOf = async (email: RegExp) => within(await screen.findByRole('row', { name: email }));

  it('lets nobody disable or demote themselves', async () => {
    serve({ ...NO_PROVIDER, 'GET /accounts': accounts });
    open('accounts', 'administrator');
    const self = await rowOf(/me@example\.org \(you\)/);
    expect(self.getByRole('combobox')).toBeDisabled();
    expect(self.queryByRole('button', { name: 'Disable' })).not.toBeInTheDocument();
  });

  it('changes roles, and disables accounts', async () => {
    const server = serve({ ...NO_PROVIDER, 'GET /accounts': accounts, 'PATCH /accounts/account-2': other });
    const { user } = open('accounts', 'administrator');
    await rowOf(/other@/);
    await choose(user, 'Role of other@example.org', 'Experimenter');
    await waitFor(() =>
      expect(server.bodies('PATCH /accounts/account-2')).toEqual([{ role: 'experimenter' }]),
    );
    server.answer('GET /accounts', [accounts[0], { ...other, disabled_at: '2026-01-02T03:04:05Z' }]);
    await user.click((await rowOf(/other@/)).getByRole('button', { name: 'Disable' }));
    expect(await screen.findByRole('button', { name: 'Enable' })).toBeInTheDocument();
    expect(server.bodies('PATCH /accounts/account-2').at(-1)).toEqual({ disabled: true });
  });

  it('says so where the server refuses', async () => {
    const detail = 'At least one active administrator must remain.';
    serve({ ...NO_PROVIDER, 'GET /accounts': accounts, 'PATCH /accounts/account-2': problem(409, detail) });
    const { user } = open('accounts', 'administrator');
    await user.click((await rowOf(/other@/)).getByRole('button', { name: 'Disable' }));
    expect(await screen.findByText(detail)).toBeInTheDocument();
  });

  it('makes an account, and shows its password once', async () => {
    const created = { account: other, password: 'made-up-password' };
    const server = serve({ ...NO_PROVIDER, 'GET /accounts': accounts, 'POST /accounts': created });
    const { user } = open('accounts', 'administrator');
    await user.type(screen.getByLabelText('E-mail'), 'other@example.org');
    await choose(user, 'Role', 'Viewer');
    await user.click(screen.getByRole('button', { name: 'Create account' }));
    expect(await screen.findByText('made-up-password')).toBeInTheDocument();
    expect(server.bodies('POST /accounts')).toEqual([{ email: 'other@example.org', role: 'viewer' }]);
    expect(screen.getByLabelText('E-mail')).toHaveValue('');
  });

  it('shows at the address why there is no new account', async () => {
    const errors = [{ field: 'email', message: 'other@example.org already has an account.' }];
    serve({
      ...NO_PROVIDER,
      'GET /accounts': accounts,
      'POST /accounts': problem(409, 'Taken.', 'email-taken', errors),
    });
    const { user } = open('accounts', 'administrator');
    await user.type(screen.getByLabelText('E-mail'), 'nonsense{Enter}');
    expect(await screen.findByText('Enter an address such as name@domain')).toBeInTheDocument();
    await user.clear(screen.getByLabelText('E-mail'));
    await user.type(screen.getByLabelText('E-mail'), 'other@example.org{Enter}');
    await screen.findByText(/already has an account/);
    expect(screen.getByLabelText('E-mail')).toHaveAccessibleDescription(errors[0]?.message);
  });
});
