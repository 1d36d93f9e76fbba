import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { keepOneTimePassword } from '@/api/session';
import { aMe } from '@/test/fixtures';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import NewPasswordPage from './NewPasswordPage';

const open = (role: 'viewer' | null = 'viewer', next = '/runs?page=2') =>
  show(<NewPasswordPage />, {
    path: '/new-password',
    at: `/new-password?next=${encodeURIComponent(next)}`,
    role,
  });

describe('NewPasswordPage', () => {
  it.each([
    ['/runs?page=2', '/runs?page=2'],
    ['//evil.example/', '/experiments'],
  ])('replaces the one-time password, and goes on to %s', async (next, target) => {
    const server = serve({ 'POST /auth/password': aMe() });
    const { user, address } = open('viewer', next);
    await user.type(screen.getByLabelText('One-time password'), 'given once');
    await user.type(screen.getByLabelText('New password'), 'only mine now');
    await user.type(screen.getByLabelText('Repeat new password'), 'only mine now{Enter}');
    await waitFor(() => expect(address()).toBe(target));
    expect(server.bodies('POST /auth/password')).toEqual([
      { current_password: 'given once', new_password: 'only mine now' },
    ]);
  });

  it('does not ask again for what was typed to sign in', async () => {
    keepOneTimePassword('given once');
    const server = serve({ 'POST /auth/password': aMe() });
    const { user, address } = open();
    expect(screen.queryByLabelText('One-time password')).not.toBeInTheDocument();
    await user.type(screen.getByLabelText('New password'), 'only mine now');
    await user.type(screen.getByLabelText('Repeat new password'), 'only mine now{Enter}');
    await waitFor(() => expect(address()).toBe('/runs?page=2'));
    expect(server.bodies('POST /auth/password')).toEqual([
      { current_password: 'given once', new_password: 'only mine now' },
    ]);
  });

  it('is for people who are signed in', () => {
    expect(open(null).address()).toBe('/login?next=%2Fruns%3Fpage%3D2');
  });
});
