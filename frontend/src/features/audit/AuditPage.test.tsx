import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { AuditEntryOut } from '@/api/generated';
import { formatDateTime } from '@/lib/time';
import { problem, type Sent, serve } from '@/test/server';
import { choose, rowsOf, show } from '@/test/show';
import AuditPage from './AuditPage';

const AT = '2026-01-02T03:04:05Z';

function anEntry(changes: Partial<AuditEntryOut> = {}): AuditEntryOut {
  return {
    id: 7,
    at: AT,
    actor_kind: 'person',
    actor_id: 'account-me',
    actor_name: 'me@example.org',
    actor_token: null,
    act: 'run-started',
    object_kind: 'run',
    object_id: 'run-1',
    object_name: 'Socket sharding, run 3',
    detail: { hosts: ['alpha', 'beta'] },
    address: '192.0.2.1',
    request_id: 'abc',
    count: 1,
    last_at: null,
    ...changes,
  };
}

const page = (items: AuditEntryOut[], next: number | null = null) => ({ items, next });
const open = (query = '') =>
  show(<AuditPage />, { path: '/audit', at: `/audit${query}`, role: 'administrator' });

describe('AuditPage', () => {
  it('says who did what to what, with which hosts and from where', async () => {
    serve({ 'GET /audit': page([anEntry({ actor_token: 'nightly' })]) });
    open();
    const when = formatDateTime(AT);
    expect(rowsOf(await screen.findByRole('table'))).toEqual([
      `${when} | me@example.org token nightly | Run started | run Socket sharding, run 3 | hostsalpha, beta | 192.0.2.1`,
    ]);
    expect(screen.getByRole('link', { name: 'Socket sharding, run 3' })).toHaveAttribute(
      'href',
      '/runs/run-1',
    );
  });

  it('counts what is entered once a day', async () => {
    serve({ 'GET /audit': page([anEntry({ act: 'share-opened', count: 12, last_at: AT })]) });
    open();
    expect(await screen.findByText(/12 times, last/)).toBeInTheDocument();
  });

  it('shows of the settings what changed', async () => {
    const detail = { changed: ['bind', 'gone'], settings: { bind: '0.0.0.0', port: 8400 } };
    serve({ 'GET /audit': page([anEntry({ act: 'settings-changed', detail })]) });
    open();
    expect(rowsOf(await screen.findByRole('table'))[0]).toContain('bind0.0.0.0gone');
    expect(screen.queryByText('8400')).not.toBeInTheDocument();
  });

  it('goes on to older entries', async () => {
    const answer = ({ query }: Sent) =>
      query.start === '7' ? page([anEntry({ id: 6, act: 'signed-in' })]) : page([anEntry()], 7);
    serve({ 'GET /audit': answer });
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Show older entries' }));
    await waitFor(() => expect(rowsOf(screen.getByRole('table'))).toHaveLength(2));
    expect(rowsOf(screen.getByRole('table')).map((row) => row.split(' | ')[2])).toEqual([
      'Run started',
      'Signed in',
    ]);
    expect(screen.queryByRole('button', { name: 'Show older entries' })).not.toBeInTheDocument();
  });

  it('filters by person, act, object and day, keeps the focus, and clears', async () => {
    const server = serve({ 'GET /audit': page([]) });
    const { user, address } = open('?from=2026-01-02&to=2026-01-03');
    expect(await screen.findByText('No matches')).toBeInTheDocument();
    await user.type(screen.getByLabelText('Who'), 'someone');
    await waitFor(() => expect(address()).toContain('actor=someone'));
    expect(screen.getByLabelText('Who')).toHaveFocus();
    await choose(user, 'What', 'Host removed');
    await user.type(screen.getByLabelText('On'), 'alpha');
    await waitFor(() => expect(server.to('GET /audit').at(-1)?.query).toMatchObject({ object: 'alpha' }));
    expect(server.to('GET /audit').at(-1)?.query).toMatchObject({
      actor: 'someone',
      act: 'host-removed',
      since: new Date(2026, 0, 2).toISOString(),
      until: new Date(2026, 0, 4).toISOString(),
    });
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    await waitFor(() => expect(address()).toBe('/audit'));
    await waitFor(() => expect(screen.getByLabelText('Who')).toHaveValue(''));
    expect(await screen.findByText('No entries yet')).toBeInTheDocument();
  });

  it('exports what matches', async () => {
    serve({ 'GET /audit': page([anEntry()]) });
    const { user } = open('?act=run-started&actor=a%26b');
    await user.click(screen.getByRole('button', { name: 'Export' }));
    const link = await screen.findByRole('menuitem', { name: 'Matching entries as CSV' });
    expect(link).toHaveAttribute('href', '/api/v1/audit/export?actor=a%26b&format=csv&act=run-started');
  });

  it('says why it shows nothing', async () => {
    serve({ 'GET /audit': problem(403, 'This needs the role administrator; yours is viewer.', 'role') });
    open();
    expect(await screen.findByRole('alert')).toHaveTextContent('This needs the role administrator');
  });
});
