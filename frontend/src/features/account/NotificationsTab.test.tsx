import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ChannelOut } from '@/api/generated';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import AccountPage from './AccountPage';

const URL = 'https://ci.example.org/hook';
const hook = (changes: Partial<ChannelOut> = {}): ChannelOut => ({
  id: 'channel-1',
  kind: 'webhook',
  target: URL,
  runs: true,
  hosts: true,
  created_at: '2026-01-02T03:04:05Z',
  last: null,
  ...changes,
});
const at = '2026-01-02T03:04:05Z';
const failed = {
  kind: 'test' as const,
  created_at: at,
  attempts: 1,
  last_attempt_at: at,
  delivered_at: null,
  next_attempt_at: null,
  error: 'It answered 500.',
};

function open(channels: ChannelOut[], emailOff: string | null = null, more: Record<string, unknown> = {}) {
  const server = serve({ 'GET /notifications': { email_off: emailOff, channels }, ...more });
  return { server, ...show(<AccountPage />, { path: '/account', at: '/account?tab=notifications' }) };
}

describe('The notifications tab', () => {
  it('says why there is no e-mail, and that nothing is told yet', async () => {
    open([], 'This installation sends no e-mail.');
    expect(await screen.findByText('This installation sends no e-mail.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Turn on e-mail' })).not.toBeInTheDocument();
    expect(screen.getByText('Nowhere yet')).toBeInTheDocument();
  });

  it('shows the secret of a new webhook once, and a refusal at the field', async () => {
    const { server, user } = open([], null, {
      'POST /notifications/channels': problem(422, 'It is not a public address.', 'invalid'),
    });
    await user.type(await screen.findByLabelText('URL'), `${URL}{Enter}`);
    expect(await screen.findByText('It is not a public address.')).toBeInTheDocument();
    server.answer('POST /notifications/channels', { ...hook(), secret: 'whsec_once' });
    await user.click(screen.getByRole('button', { name: 'Add webhook' }));
    expect(await screen.findByText('whsec_once')).toBeInTheDocument();
    expect(server.bodies('POST /notifications/channels')[1]).toEqual({ kind: 'webhook', url: URL });
  });

  it('sends a test and shows what became of it', async () => {
    const sent = hook({ last: failed });
    const { server, user } = open([hook()], null, { 'POST /notifications/channels/channel-1/test': sent });
    server.answer('GET /notifications', { email_off: null, channels: [hook()] });
    await screen.findByRole('cell', { name: 'none' });
    server.answer('GET /notifications', { email_off: null, channels: [sent] });
    await user.click(screen.getByRole('button', { name: `Send a test to ${URL}` }));
    expect(await screen.findByText('a test, not delivered: It answered 500.')).toBeInTheDocument();
  });

  it('changes what is told, and removes only after it has asked', async () => {
    const { server, user } = open([hook()], null, {
      'PATCH /notifications/channels/channel-1': hook({ hosts: false }),
      'DELETE /notifications/channels/channel-1': null,
    });
    await user.click(await screen.findByRole('switch', { name: `Tell ${URL} of hosts` }));
    await waitFor(() =>
      expect(server.bodies('PATCH /notifications/channels/channel-1')).toEqual([{ hosts: false }]),
    );
    await user.click(screen.getByRole('button', { name: `Remove ${URL}` }));
    const dialog = await screen.findByRole('dialog');
    expect(server.to('DELETE /notifications/channels/channel-1')).toEqual([]);
    server.answer('GET /notifications', { email_off: null, channels: [] });
    await user.click(within(dialog).getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('Nowhere yet')).toBeInTheDocument();
  });
});
