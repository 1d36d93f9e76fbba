import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { anAccount } from '@/test/fixtures';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { LinkPermit } from './PersonPage';

const open = () => show(<LinkPermit account={anAccount()} />, { role: 'administrator' });

describe('The link to a provider', () => {
  const links = { enabled: true, identities: [], permitted: {} };

  it('is allowed once, after a warning', async () => {
    const server = serve({
      'GET /accounts/identities': links,
      'PUT /accounts/account-me/link-permit': null,
    });
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Allow link' }));
    expect(await screen.findByText(/verified address me@example.org/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Allow' }));
    await waitFor(() =>
      expect(server.bodies('PUT /accounts/account-me/link-permit')).toEqual([{ allowed: true }]),
    );
  });

  it('is withdrawn at once', async () => {
    const server = serve({
      'GET /accounts/identities': { ...links, permitted: { 'account-me': '2026-01-02T03:04:05Z' } },
      'PUT /accounts/account-me/link-permit': null,
    });
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Withdraw link' }));
    await waitFor(() =>
      expect(server.bodies('PUT /accounts/account-me/link-permit')).toEqual([{ allowed: false }]),
    );
  });

  it('is shown where there is one', async () => {
    const identity = {
      account_id: 'account-me',
      issuer: 'https://login.example.org',
      email: 'me@example.org',
    };
    serve({
      'GET /accounts/identities': { ...links, identities: [identity] },
    });
    open();
    expect(await screen.findByText('linked')).toHaveAttribute(
      'title',
      'me@example.org at https://login.example.org',
    );
  });
});
