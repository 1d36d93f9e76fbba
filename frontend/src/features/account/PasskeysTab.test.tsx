import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { aPasskey, ownPasskeys } from '@/test/fixtures';
import { ANSWER, SIGNED, stubPasskeys } from '@/test/passkeys';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import AccountPage from './AccountPage';

const open = () => show(<AccountPage />, { path: '/account', at: '/account?tab=passkeys' });
const made = { clientDataJSON: 'client', attestationObject: 'attestation' };

beforeEach(() => void stubPasskeys(made));

describe('The passkeys tab', () => {
  it('adds the first passkey with the password, and asks for none at the second', async () => {
    const server = serve({
      'GET /auth/passkeys': ownPasskeys(),
      'POST /auth/passkeys/registration': { options: { challenge: 'x' } },
      'POST /auth/passkeys': aPasskey(),
      'GET /auth/me': problem(500, 'Not of interest.'),
    });
    const { user } = open();
    expect(await screen.findByText('No passkeys')).toBeInTheDocument();
    expect(screen.getByText(/Keep two/)).toBeInTheDocument();
    await user.clear(await screen.findByLabelText('Name'));
    await user.type(screen.getByLabelText('Name'), 'Phone');
    expect(screen.getByRole('button', { name: 'Add passkey' })).toBeDisabled();
    await user.type(screen.getByLabelText('Current password'), 'mine');
    server.answer('GET /auth/passkeys', ownPasskeys([aPasskey()]));
    await user.click(screen.getByRole('button', { name: 'Add passkey' }));
    expect(await screen.findByRole('cell', { name: 'Phone' })).toBeInTheDocument();
    expect(server.bodies('POST /auth/passkeys/registration')).toEqual([{ password: 'mine' }]);
    expect(server.bodies('POST /auth/passkeys')).toEqual([
      { name: 'Phone', client_data: 'client', attestation_object: 'attestation' },
    ]);
    await waitFor(() => expect(screen.queryByLabelText('Current password')).not.toBeInTheDocument());
    expect(screen.getByText(/Add a second on another device/)).toBeInTheDocument();
  });

  it('says what is wrong with the password at its field, and what the device did not do', async () => {
    const errors = [{ field: 'password', message: 'This is not your password.' }];
    const server = serve({
      'GET /auth/passkeys': ownPasskeys(),
      'POST /auth/passkeys/registration': problem(422, 'Refused.', 'invalid', errors),
      'GET /auth/me': problem(500, 'Not of interest.'),
    });
    const { user } = open();
    await user.type(await screen.findByLabelText('Current password'), 'other{Enter}');
    await screen.findByText('This is not your password.');
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    stubPasskeys(null);
    server.answer('POST /auth/passkeys/registration', { options: {} });
    await user.click(screen.getByRole('button', { name: 'Add passkey' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('No passkey was used. Try again.');
  });

  it('removes one after it has asked, and confirms by a passkey where the server wants it', async () => {
    const ask = stubPasskeys(SIGNED);
    const server = serve({
      'GET /auth/passkeys': ownPasskeys([aPasskey()]),
      'DELETE /auth/passkeys/passkey-1': problem(403, 'Confirm it.', 'passkey-confirmation'),
      'POST /auth/passkeys/confirmation': { options: { challenge: 'x' } },
      'PUT /auth/passkeys/confirmation': () => {
        server.answer('DELETE /auth/passkeys/passkey-1', null);
        server.answer('GET /auth/passkeys', ownPasskeys());
        return null;
      },
      'GET /auth/me': problem(500, 'Not of interest.'),
    });
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Remove Phone' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove Phone?' }));
    await user.click(dialog.getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('No passkeys')).toBeInTheDocument();
    expect(ask).toHaveBeenCalledTimes(1);
    expect(server.bodies('PUT /auth/passkeys/confirmation')).toEqual([{ passkey: ANSWER }]);
    expect(server.to('DELETE /auth/passkeys/passkey-1')).toHaveLength(2);
  });

  it('shows the refusal to who does not confirm', async () => {
    stubPasskeys(null);
    const server = serve({
      'GET /auth/passkeys': ownPasskeys([aPasskey()]),
      'DELETE /auth/passkeys/passkey-1': problem(403, 'Confirm it.', 'passkey-confirmation'),
      'POST /auth/passkeys/confirmation': { options: {} },
      'GET /auth/me': problem(500, 'Not of interest.'),
    });
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Remove Phone' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('Confirm it.')).toBeInTheDocument();
    expect(server.to('DELETE /auth/passkeys/passkey-1')).toHaveLength(1);
  });

  it.each([
    ['a number', { unavailable: 'address' }, /address with a name/],
    ['no https', { unavailable: 'insecure' }, /address with https/],
    ['another address', { origin: 'https://lab.example.org' }, /Passkeys belong to the address/],
  ] as const)('says why there are none: %s', async (_, changes, words) => {
    serve({ 'GET /auth/passkeys': ownPasskeys([], changes) });
    open();
    expect(await screen.findByText(words)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Add passkey' })).not.toBeInTheDocument();
  });

  it('offers another try where the list cannot be read', async () => {
    serve({ 'GET /auth/passkeys': problem(500, 'The database is away.') });
    open();
    expect(await screen.findByText('The database is away.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
  });
});
