import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { anAccount, aPasskey, aSession, aToken } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { choose, show } from '@/test/show';
import PersonPage from './PersonPage';

const person = anAccount({ id: 'account-2', email: 'other@example.org', role: 'viewer' });
const identities = { enabled: false, identities: [], permitted: {} };
const reads = {
  'GET /accounts/identities': identities,
  'GET /accounts/account-2': person,
  'GET /accounts/account-2/sessions': [aSession({ address: '192.0.2.7' })],
  'GET /accounts/account-2/passkeys': [aPasskey()],
  'GET /accounts/account-2/tokens': [aToken(), aToken({ id: 'token-2', name: 'Other' })],
};
const open = (id = 'account-2') =>
  show(<PersonPage />, { path: '/people/:accountId', at: `/people/${id}`, role: 'administrator' });

async function confirm(user: ReturnType<typeof open>['user'], button: string, question: string) {
  await user.click(await screen.findByRole('button', { name: button }));
  const dialog = within(await screen.findByRole('dialog', { name: question }));
  return dialog.getAllByRole('button').at(-1) as HTMLElement;
}

describe('PersonPage', () => {
  it('resets a password after it has asked, and shows the new one once', async () => {
    const made = {
      account: { ...person, must_change_password: true },
      password: 'made-up-password',
      expires_at: '2026-01-05T03:04:05Z',
    };
    const server = serve({ ...reads, 'POST /accounts/account-2/one-time-password': made });
    const { user } = open();
    const yes = await confirm(user, 'Reset password', 'Reset the password of other@example.org?');
    expect(server.to('POST /accounts/account-2/one-time-password')).toEqual([]);
    server.answer('GET /accounts/account-2', made.account);
    server.answer('GET /accounts/account-2/sessions', []);
    await user.click(yes);
    expect(await screen.findByText('made-up-password')).toBeInTheDocument();
    expect(await screen.findByText('No sessions')).toBeInTheDocument();
    expect(screen.getByText('one-time password')).toBeInTheDocument();
  });

  it('deactivates after it has asked, and reactivates', async () => {
    const server = serve({ ...reads, 'PATCH /accounts/account-2': person });
    const { user } = open();
    const yes = await confirm(user, 'Deactivate', 'Deactivate other@example.org?');
    server.answer('GET /accounts/account-2', { ...person, disabled_at: '2026-01-02T03:04:05Z' });
    await user.click(yes);
    await user.click(await screen.findByRole('button', { name: 'Reactivate' }));
    await waitFor(() =>
      expect(server.bodies('PATCH /accounts/account-2')).toEqual([{ disabled: true }, { disabled: false }]),
    );
  });

  it('changes a role after it has said what follows', async () => {
    const server = serve({ ...reads, 'PATCH /accounts/account-2': person });
    const { user } = open();
    await screen.findByRole('combobox', { name: 'Role' });
    await choose(user, 'Role', 'Experimenter');
    const dialog = within(
      await screen.findByRole('dialog', { name: 'Make other@example.org an experimenter?' }),
    );
    await user.click(dialog.getByRole('button', { name: 'Change role' }));
    await waitFor(() =>
      expect(server.bodies('PATCH /accounts/account-2')).toEqual([{ role: 'experimenter' }]),
    );
  });

  it('offers the link to a sign-in provider where there is one', async () => {
    const server = serve(reads);
    const first = open();
    await screen.findByText('Created');
    expect(screen.queryByText('Sign-in provider')).not.toBeInTheDocument();
    first.unmount();
    server.answer('GET /accounts/identities', { ...identities, enabled: true });
    open();
    expect(await screen.findByRole('button', { name: 'Allow link' })).toBeInTheDocument();
    expect(screen.getByText('Sign-in provider')).toBeInTheDocument();
  });

  it('says so where the server refuses', async () => {
    const detail = 'At least one active administrator must remain.';
    serve({ ...reads, 'PATCH /accounts/account-2': problem(409, detail, 'last-administrator') });
    const { user } = open();
    await user.click(await confirm(user, 'Deactivate', 'Deactivate other@example.org?'));
    expect(await screen.findByText(detail)).toBeInTheDocument();
  });

  it('ends sessions and revokes tokens, one and all', async () => {
    const server = serve({
      ...reads,
      'DELETE /accounts/account-2/sessions': null,
      'DELETE /accounts/account-2/sessions/session-1': null,
      'DELETE /accounts/account-2/passkeys': null,
      'DELETE /accounts/account-2/tokens': null,
      'DELETE /accounts/account-2/tokens/token-1': null,
    });
    const { user } = open();
    for (const [button, question, call] of [
      ['End session of Firefox on Linux', 'End the session of Firefox on Linux?', 'sessions/session-1'],
      ['End all sessions', 'End all sessions?', 'sessions'],
      ['Remove all', 'Remove all passkeys of other@example.org?', 'passkeys'],
      ['Revoke CI', 'Revoke CI?', 'tokens/token-1'],
      ['Revoke all', 'Revoke all tokens?', 'tokens'],
    ] as const) {
      await user.click(await confirm(user, button, question));
      await waitFor(() => expect(server.to(`DELETE /accounts/account-2/${call}`)).toHaveLength(1));
      await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    }
  });

  it('lets nobody reset, demote or deactivate themselves', async () => {
    serve({
      'GET /accounts/identities': identities,
      'GET /accounts/account-me': anAccount({ role: 'administrator' }),
      'GET /accounts/account-me/sessions': [],
      'GET /accounts/account-me/passkeys': [],
      'GET /accounts/account-me/tokens': [],
    });
    open('account-me');
    expect(await screen.findByText(/Your own account/)).toBeInTheDocument();
    expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
    for (const name of ['Reset password', 'Deactivate']) {
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument();
    }
  });
});
