import { act, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { unwrap } from '@/api/client';
import { type LoginRequest, logout } from '@/api/generated';
import { hasEndedKey, meKey } from '@/api/session';
import { aMe } from '@/test/fixtures';
import { ANSWER, SIGNED, stubPasskeys } from '@/test/passkeys';
import { problem, type Sent, serve } from '@/test/server';
import { show } from '@/test/show';
import LoginPage from './LoginPage';

const METHODS = { 'GET /auth/methods': { password: true, oidc_label: null } };
const open = (query = '') => show(<LoginPage />, { path: '/login', at: `/login${query}`, role: null });

async function fillIn({ user }: ReturnType<typeof open>) {
  await user.type(await screen.findByLabelText('E-mail'), ' me@example.org ');
  await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
}

describe('LoginPage', () => {
  it('signs in by Enter, and leads to the experiments', async () => {
    const server = serve({ ...METHODS, 'POST /auth/login': aMe() });
    const page = open();
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe('/experiments'));
    expect(server.bodies('POST /auth/login')).toEqual([
      { email: 'me@example.org', password: 'correct horse' },
    ]);
  });

  it('sends the token of the new session with what changes something', async () => {
    const server = serve({ ...METHODS, 'POST /auth/login': aMe(), 'POST /auth/logout': null });
    const page = open();
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe('/experiments'));
    await unwrap(logout({ throwOnError: true }));
    expect(server.to('POST /auth/logout')[0]?.headers.get('X-CSRF-Token')).toBe('csrf-token');
  });

  it.each([
    ['/runs/1?page=2', '/runs/1?page=2'],
    ['//evil.example/', '/experiments'],
    ['https://evil.example/', '/experiments'],
    ['/\\evil.example/', '/experiments'],
  ])('returns to %s only inside this site', async (next, target) => {
    serve({ ...METHODS, 'POST /auth/login': aMe() });
    const page = open(`?next=${encodeURIComponent(next)}`);
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe(target));
  });

  it('leads whoever is signed in already to the page behind', async () => {
    serve(METHODS);
    const page = show(<LoginPage />, { path: '/login', at: '/login?next=%2Fruns%3Fpage%3D2' });
    await waitFor(() => expect(page.address()).toBe('/runs?page=2'));
  });

  it('stays for whose session has ended, who may be somebody else now', async () => {
    serve(METHODS);
    const page = open();
    page.queryClient.setQueryData(hasEndedKey, true);
    page.queryClient.setQueryData(meKey, aMe());
    expect(await screen.findByLabelText('Password')).toBeInTheDocument();
    expect(page.address()).toBe('/login');
    act(() => void page.queryClient.setQueryData(hasEndedKey, false)); // in another tab, for instance
    await waitFor(() => expect(page.address()).toBe('/experiments'));
  });

  it('leads who has a one-time password to a new one, and then on', async () => {
    const me = aMe();
    const account = { ...me.account, must_change_password: true };
    serve({ ...METHODS, 'POST /auth/login': { ...me, account } });
    const page = open('?next=%2Fruns');
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe('/new-password?next=%2Fruns'));
  });

  const asked = () =>
    Response.json(
      {
        title: 'Refused',
        status: 401,
        detail: 'Confirm it.',
        code: 'passkey-required',
        passkey: { challenge: 'x' },
      },
      { status: 401 },
    );

  it('asks for the passkey that the account needs beside its password', async () => {
    const ask = stubPasskeys(SIGNED);
    const server = serve({
      ...METHODS,
      'POST /auth/login': ({ body }: Sent) => ((body as LoginRequest).passkey ? aMe() : asked()),
    });
    const page = open();
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe('/experiments'));
    expect(ask).toHaveBeenCalledWith({ publicKey: { challenge: 'x' } });
    const typed = { email: 'me@example.org', password: 'correct horse' };
    expect(server.bodies('POST /auth/login')).toEqual([typed, { ...typed, passkey: ANSWER }]);
  });

  it('stays where the passkey was not used, and says so', async () => {
    stubPasskeys(null);
    serve({ ...METHODS, 'POST /auth/login': asked });
    const page = open();
    await fillIn(page);
    expect(await screen.findByRole('alert')).toHaveTextContent('No passkey was used. Try again.');
    expect(page.address()).toBe('/login');
  });

  it('leads who must add a passkey to its page, and then on', async () => {
    serve({ ...METHODS, 'POST /auth/login': { ...aMe(), must_add_passkey: true } });
    const page = open('?next=%2Fruns');
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe('/new-passkey?next=%2Fruns'));
  });

  it('asks for what is missing before it asks the server', async () => {
    const server = serve(METHODS);
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Sign in' }));
    expect(await screen.findByText('Enter your e-mail address')).toBeInTheDocument();
    expect(screen.getByText('Enter your password')).toBeInTheDocument();
    expect(server.to('POST /auth/login')).toEqual([]);
  });

  it.each([
    [401, 'The e-mail address or the password is wrong.', 'wrong-credentials'],
    [429, 'Too many wrong passwords. Wait 15 minutes, then try again.', 'login-throttled'],
  ])('says why the server refused (%i), and keeps what was typed', async (status, detail, code) => {
    serve({ ...METHODS, 'POST /auth/login': problem(status, detail, code) });
    const page = open();
    await fillIn(page);
    expect(await screen.findByRole('alert')).toHaveTextContent(detail);
    expect(screen.getByLabelText('E-mail')).toHaveValue('me@example.org');
    expect(page.address()).toBe('/login');
  });

  it('leads to the provider, and says what it is called', async () => {
    serve({ 'GET /auth/methods': { password: true, oidc_label: 'Example' } });
    open('?next=%2Fruns%3Fpage%3D2');
    const link = await screen.findByRole('link', { name: 'Sign in with Example' });
    expect(link).toHaveAttribute('href', '/api/v1/auth/oidc/start?next=%2Fruns%3Fpage%3D2');
    expect(screen.getByLabelText('E-mail')).toBeInTheDocument();
  });

  it('shows a password only on request where it is for emergencies', async () => {
    serve({ 'GET /auth/methods': { password: false, oidc_label: 'Example' } });
    const { user } = open();
    await screen.findByRole('link', { name: 'Sign in with Example' });
    expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Emergency sign-in with a password' }));
    expect(screen.getByLabelText('Password')).toBeInTheDocument();
  });

  it.each([
    ['domain', 'Use your work account.'],
    ['<b>made up</b>', 'The sign-in at the provider failed. Try again.'],
  ])('says in its own words why the provider led nowhere (%s)', async (name, words) => {
    serve(METHODS);
    open(`?problem=${encodeURIComponent(name)}`);
    expect(await screen.findByRole('alert')).toHaveTextContent(words);
    expect(screen.queryByText(/made up/)).not.toBeInTheDocument();
  });

  it('lets a password be tried where the server did not say what there is', async () => {
    serve({ 'GET /auth/methods': problem(500, 'The database is away.') });
    open();
    expect(await screen.findByLabelText('Password')).toBeInTheDocument();
  });
});
