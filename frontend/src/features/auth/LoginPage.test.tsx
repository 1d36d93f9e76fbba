import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { unwrap } from '@/api/client';
import { logout } from '@/api/generated';
import { aMe } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import LoginPage from './LoginPage';

const open = (query = '') => show(<LoginPage />, { path: '/login', at: `/login${query}`, role: null });

async function fillIn({ user }: ReturnType<typeof open>) {
  await user.type(screen.getByLabelText('E-mail'), ' me@example.org ');
  await user.type(screen.getByLabelText('Password'), 'correct horse{Enter}');
}

describe('LoginPage', () => {
  it('signs in by Enter, and leads to the experiments', async () => {
    const server = serve({ 'POST /auth/login': aMe() });
    const page = open();
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe('/experiments'));
    expect(server.bodies('POST /auth/login')).toEqual([
      { email: 'me@example.org', password: 'correct horse' },
    ]);
  });

  it('sends the token of the new session with what changes something', async () => {
    const server = serve({ 'POST /auth/login': aMe(), 'POST /auth/logout': null });
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
  ])('returns to %s only inside this site', async (next, target) => {
    serve({ 'POST /auth/login': aMe() });
    const page = open(`?next=${encodeURIComponent(next)}`);
    await fillIn(page);
    await waitFor(() => expect(page.address()).toBe(target));
  });

  it('asks for what is missing before it asks the server', async () => {
    const server = serve({});
    const { user } = open();
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByText('Enter your e-mail address')).toBeInTheDocument();
    expect(screen.getByText('Enter your password')).toBeInTheDocument();
    expect(server.to('POST /auth/login')).toEqual([]);
  });

  it.each([
    [401, 'The e-mail address or the password is wrong.', 'wrong-credentials'],
    [429, 'Too many wrong passwords. Wait 15 minutes, then try again.', 'login-throttled'],
  ])('says why the server refused (%i), and keeps what was typed', async (status, detail, code) => {
    serve({ 'POST /auth/login': problem(status, detail, code) });
    const page = open();
    await fillIn(page);
    expect(await screen.findByRole('alert')).toHaveTextContent(detail);
    expect(screen.getByLabelText('E-mail')).toHaveValue('me@example.org');
    expect(page.address()).toBe('/login');
  });
});
