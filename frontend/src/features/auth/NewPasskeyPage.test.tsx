import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aMe, aPasskey, ownPasskeys } from '@/test/fixtures';
import { stubPasskeys } from '@/test/passkeys';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import NewPasskeyPage from './NewPasskeyPage';

const open = (role: 'viewer' | null = 'viewer') =>
  show(<NewPasskeyPage />, { path: '/new-passkey', at: '/new-passkey?next=%2Fruns', role });

describe('NewPasskeyPage', () => {
  it('adds a passkey, and goes on', async () => {
    stubPasskeys({ clientDataJSON: 'client', attestationObject: 'attestation' });
    serve({
      'GET /auth/passkeys': ownPasskeys(),
      'POST /auth/passkeys/registration': { options: {} },
      'POST /auth/passkeys': aPasskey(),
      'GET /auth/me': aMe(),
    });
    const { user, address } = open();
    await user.type(await screen.findByLabelText('Current password'), 'mine{Enter}');
    await waitFor(() => expect(address()).toBe('/runs'));
  });

  it('is for people who are signed in', () => {
    expect(open(null).address()).toBe('/login?next=%2Fruns');
  });
});
