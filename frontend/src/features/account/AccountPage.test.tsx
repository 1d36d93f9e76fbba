import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { unwrap } from '@/api/client';
import { logout } from '@/api/generated';
import { meKey } from '@/api/session';
import { aMe, aSession, aToken, ownPasskeys } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { choose, show } from '@/test/show';
import AccountPage from './AccountPage';

const open = (tab: string, role: 'experimenter' | 'administrator' = 'experimenter') =>
  show(<AccountPage />, { path: '/account', at: `/account?tab=${tab}`, role });

describe('AccountPage', () => {
  it('shows who is signed in, and the tabs of the role by keyboard', async () => {
    serve({ 'GET /auth/sessions': [], 'GET /auth/passkeys': ownPasskeys() });
    const { user, address } = open('password');
    expect(screen.getByText('me@example.org, experimenter')).toBeInTheDocument();
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
      'Password',
      'Passkeys',
      'Sessions',
      'API tokens',
      'Notifications',
    ]);
    screen.getByRole('tab', { name: 'Password' }).focus();
    await user.keyboard('{ArrowRight}{ArrowRight}');
    expect(await screen.findByText('No sessions')).toBeInTheDocument();
    expect(address()).toBe('/account?tab=sessions');
  });

  it('has no password tab for who signs in at the provider only', async () => {
    serve({ 'GET /auth/passkeys': ownPasskeys() });
    const { queryClient } = show(<AccountPage />, { path: '/account' });
    act(() => queryClient.setQueryData(meKey, aMe({ has_password: false })));
    expect(await screen.findByText('No passkeys')).toBeInTheDocument();
    expect(screen.queryByRole('tab', { name: 'Password' })).not.toBeInTheDocument();
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
    const server = serve({
      'POST /auth/password': { ...aMe(), csrf_token: 'of-the-new-session' },
      'POST /auth/logout': null,
    });
    await fillIn();
    expect(await screen.findByText(/Password changed/)).toBeInTheDocument();
    expect(server.bodies('POST /auth/password')).toEqual([
      { current_password: 'old password', new_password: 'new password' },
    ]);
    expect(screen.getByLabelText('Current password')).toHaveValue('');
    await unwrap(logout({ throwOnError: true }));
    expect(server.to('POST /auth/logout')[0]?.headers.get('X-CSRF-Token')).toBe('of-the-new-session');
  });

  it('sends nothing while the two new passwords differ', async () => {
    const server = serve({});
    await fillIn('another password');
    expect(await screen.findByText('The new passwords do not match')).toBeInTheDocument();
    expect(server.to('POST /auth/password')).toEqual([]);
  });

  it('shows a refusal at its field', async () => {
    const message = 'This is a very common password. Add another word or two.';
    const errors = [{ field: 'new_password', message }];
    serve({ 'POST /auth/password': problem(422, 'Refused.', 'weak-password', errors) });
    await fillIn();
    await screen.findByText(message);
    expect(screen.getByLabelText('New password')).toHaveAccessibleDescription(new RegExp(message));
  });

  it('says when to try again after too many guesses', async () => {
    const detail = 'Too many wrong passwords. Try again in 15 minutes.';
    serve({ 'POST /auth/password': problem(429, detail, 'throttled') });
    await fillIn();
    expect(await screen.findByRole('alert')).toHaveTextContent(detail);
  });
});

describe('The sessions tab', () => {
  const here = aSession({ id: 'session-1', is_current: true });
  const there = aSession({ id: 'session-2', user_agent: 'Phone/1.0', address: '192.0.2.7' });

  it('ends another session after it has asked, and never this one', async () => {
    const server = serve({ 'GET /auth/sessions': [here, there], 'DELETE /auth/sessions/session-2': null });
    const { user } = open('sessions');
    const current = within(await screen.findByRole('row', { name: /this browser/ }));
    expect(current.queryByRole('button')).not.toBeInTheDocument();
    expect(screen.getByRole('cell', { name: '192.0.2.7' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'End session of Phone/1.0' }));
    server.answer('GET /auth/sessions', [here]);
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'End session' }));
    await waitFor(() => expect(screen.queryByText('Phone/1.0')).not.toBeInTheDocument());
    expect(screen.queryByRole('button', { name: 'End other sessions' })).not.toBeInTheDocument();
  });

  it('ends all others at once', async () => {
    const server = serve({ 'GET /auth/sessions': [here, there], 'DELETE /auth/sessions': null });
    const { user } = open('sessions');
    await user.click(await screen.findByRole('button', { name: 'End other sessions' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'End other sessions' }));
    await waitFor(() => expect(server.to('DELETE /auth/sessions')).toHaveLength(1));
  });
});

describe('The tokens tab', () => {
  const token = aToken();

  it('shows the secret of a new token once', async () => {
    const server = serve({ 'GET /auth/tokens': [], 'POST /auth/tokens': { ...token, token: 'nglt_secret' } });
    const { user, unmount } = open('tokens');
    expect(screen.getByRole('button', { name: 'Create token' })).toBeDisabled();
    await user.type(screen.getByLabelText('Name'), ' CI ');
    await user.click(screen.getByRole('combobox', { name: 'Scope' }));
    expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
      'Read: look at everything',
      'Operate: make and run experiments',
    ]);
    await user.click(screen.getByRole('option', { name: /Operate/ }));
    await choose(user, 'Valid for', '1 year');
    server.answer('GET /auth/tokens', [token]);
    await user.click(screen.getByRole('button', { name: 'Create token' }));
    expect(await screen.findByText('nglt_secret')).toBeInTheDocument();
    expect(server.bodies('POST /auth/tokens')).toEqual([
      { name: 'CI', scope: 'operate', expires_in_days: 365 },
    ]);
    expect(await screen.findByRole('cell', { name: 'CI' })).toBeInTheDocument();
    unmount();
    open('tokens');
    expect(await screen.findByRole('cell', { name: 'CI' })).toBeInTheDocument();
    expect(screen.queryByText('nglt_secret')).not.toBeInTheDocument();
  });

  it('revokes a token only after it has asked', async () => {
    const server = serve({ 'GET /auth/tokens': [token], 'DELETE /auth/tokens/token-1': null });
    const { user } = open('tokens');
    await user.click(await screen.findByRole('button', { name: 'Revoke CI' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.to('DELETE /auth/tokens/token-1')).toEqual([]);

    await user.click(screen.getByRole('button', { name: 'Revoke CI' }));
    const dialog = await screen.findByRole('dialog', { name: 'Revoke CI?' });
    server.answer('GET /auth/tokens', []);
    await user.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText('No tokens')).toBeInTheDocument();
    expect(server.to('DELETE /auth/tokens/token-1')).toHaveLength(1);
  });

  it('revokes all at once', async () => {
    const tokens = [token, aToken({ id: 'token-2', name: 'Other' })];
    const server = serve({ 'GET /auth/tokens': tokens, 'DELETE /auth/tokens': null });
    const { user } = open('tokens');
    await user.click(await screen.findByRole('button', { name: 'Revoke all' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke all' }));
    await waitFor(() => expect(server.to('DELETE /auth/tokens')).toHaveLength(1));
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
