import { modals } from '@mantine/modals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listHostsQueryKey, type Role } from '@/api/generated';
import { meKey } from '@/api/session';
import { trialSeriesQuery } from '@/api/trialSeries';
import { aMe } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import packageFile from '../../../package.json' with { type: 'json' };
import { Shell } from './Shell';

const READY = {
  ready: true,
  parts: { postgresql: 'ok', disk: 'ok' },
  coordinator: 'ok',
  jobs: 'ok',
  loops: {},
};

const open = (role: Role | null = 'experimenter', at = '/runs?page=2') =>
  show(<Shell />, { path: '/runs', at, role, dialogs: false });

describe('Shell', () => {
  it('leads to each part of the product', () => {
    open();
    const links = within(screen.getByRole('navigation', { name: 'Main' })).getAllByRole('link');
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Experiments', '/experiments'],
      ['Runs', '/runs'],
      ['Hosts', '/hosts'],
    ]);
    expect(screen.getByRole('link', { name: 'Runs' })).toHaveAttribute('aria-current', 'page');
  });

  it('leads administrators to people and to the audit log', () => {
    open('administrator');
    expect(screen.getByRole('link', { name: 'People' })).toHaveAttribute('href', '/people');
    expect(screen.getByRole('link', { name: 'Audit log' })).toHaveAttribute('href', '/audit');
  });

  it('has a one-time password replaced before anything else', async () => {
    const { address, queryClient } = open();
    act(() => queryClient.setQueryData(meKey, aMe({ must_change_password: true })));
    await waitFor(() => expect(address()).toBe('/new-password?next=%2Fruns%3Fpage%3D2'));
  });

  it('says which version of ngxlab it is', () => {
    open();
    expect(screen.getByText(`ngxlab ${packageFile.version}`)).toBeInTheDocument();
  });

  it('begins with a way past the navigation', async () => {
    const { user } = open();
    await user.tab();
    expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveFocus();
    expect(screen.getByRole('main')).toHaveAttribute('id', 'main');
  });

  it('sends whoever is not signed in to sign in, and back afterwards', () => {
    const { address } = open(null, '/runs?page=2#part');
    expect(address()).toBe('/login?next=%2Fruns%3Fpage%3D2%23part');
  });

  describe('once the session has ended under a page', () => {
    const ROUTES = {
      'GET /readyz': READY,
      'GET /trials/trial-1/series': problem(401, 'Sign in first.', 'not-signed-in'),
      'GET /auth/methods': { password: true, oidc_label: 'Example' },
    };

    /** A page with a dialog in which somebody types. */
    async function end(routes = {}) {
      const server = serve({ ...ROUTES, ...routes });
      const page = open();
      act(() => void modals.open({ title: 'Add a note', children: <textarea aria-label="Note" /> }));
      await page.user.type(await screen.findByLabelText('Note'), 'half a sentence');
      await page.queryClient.fetchQuery(trialSeriesQuery('trial-1')).catch(() => null);
      const dialog = within(await screen.findByRole('dialog', { name: 'Your session has ended' }));
      await dialog.findByLabelText('Password');
      return { ...page, server, dialog };
    }
    const isAsked = () => screen.queryByRole('dialog', { name: 'Your session has ended' }) !== null;

    it('asks to sign in again over it, and what was typed stays', async () => {
      const { user, dialog, address, server } = await end({ 'POST /auth/login': aMe() });
      expect(dialog.getByLabelText('E-mail')).toHaveValue(aMe().account.email);
      expect(dialog.getByLabelText('Password')).toHaveFocus();
      await user.keyboard('{Escape}correct horse{Enter}');
      await waitFor(() => expect(isAsked()).toBe(false));
      expect(screen.getByLabelText('Note')).toHaveValue('half a sentence');
      expect(address()).toBe('/runs?page=2');
      expect(server.bodies('POST /auth/login')).toEqual([
        { email: aMe().account.email, password: 'correct horse' },
      ]);
    });

    it('goes on asking after a wrong password', async () => {
      const wrong = problem(401, 'The e-mail address or the password is wrong.', 'wrong-credentials');
      const { user, dialog } = await end({ 'POST /auth/login': wrong });
      await user.type(dialog.getByLabelText('Password'), 'wrong{Enter}');
      expect(await dialog.findByRole('alert')).toHaveTextContent('is wrong');
      expect(isAsked()).toBe(true);
    });

    it('opens a provider beside the page, and notices when one comes back', async () => {
      const { dialog, server } = await end();
      const link = dialog.getByRole('link', { name: 'Sign in with Example in a new tab' });
      expect(link).toHaveAttribute('target', '_blank');
      server.answer('GET /auth/me', aMe());
      act(() => void window.dispatchEvent(new Event('visibilitychange')));
      await waitFor(() => expect(isAsked()).toBe(false));
      expect(screen.getByLabelText('Note')).toHaveValue('half a sentence');
    });

    it('keeps nothing for somebody else', async () => {
      const { dialog, server, queryClient } = await end();
      queryClient.setQueryData(listHostsQueryKey(), { items: [], next: null });
      expect(dialog.getByRole('link', { name: 'Sign in as somebody else' })).toBeVisible();
      server.answer('GET /auth/me', aMe({ id: 'account-2' }));
      act(() => void window.dispatchEvent(new Event('visibilitychange')));
      await waitFor(() => expect(screen.queryByLabelText('Note')).toBeNull());
      expect(queryClient.getQueryData(listHostsQueryKey())).toBeUndefined();
    });
  });

  it('says what the server lacks, until it has it again', async () => {
    const disk = 'disk full: 0 MiB are free where the server keeps its data';
    const lacking = {
      ready: false,
      parts: { postgresql: 'OSError: cannot be reached', redis: 'ok', disk },
      coordinator: 'last called 40 s ago',
      jobs: 'ok',
      loops: {},
    };
    const server = serve({ 'GET /readyz': () => Response.json(lacking, { status: 503 }) });
    const { queryClient } = open();
    const notice = await screen.findByRole('status');
    expect(
      within(notice)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      'PostgreSQL: OSError: cannot be reached.',
      'Disk full: 0 MiB are free where the server keeps its data.',
      'Coordinator: last called 40 s ago.',
    ]);
    server.answer('GET /readyz', READY);
    await queryClient.invalidateQueries({ queryKey: ['readiness'] });
    await waitFor(() => expect(screen.queryByRole('status')).toBeNull());
  });

  it('says that it rehearses a backup, until an administrator says that it is the real installation', async () => {
    const rehearsal = { ...READY, rehearsal_of: '2026-01-02T03:04:05Z' };
    const server = serve({ 'GET /readyz': rehearsal, 'DELETE /rehearsal': null });
    const { user } = open('administrator');
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('A rehearsal with the backup of');
    await user.click(within(notice).getByRole('button', { name: 'This is the real one…' }));
    server.answer('GET /readyz', READY);
    await user.click(await screen.findByRole('button', { name: 'This is the real one' }));
    await waitFor(() => expect(screen.queryByRole('status')).toBeNull());
    expect(server.to('DELETE /rehearsal')).toHaveLength(1);
  });

  it('offers a newer version, and leaves what is being typed alone', async () => {
    document.head.innerHTML = '<script type="module" src="/assets/index-1.js"></script>';
    onTestFinished(() => document.head.replaceChildren());
    serve({
      'GET /readyz': READY,
      'GET /login': () => new Response('<script type="module" src="/assets/index-2.js"></script>'),
    });
    open();
    const notice = await screen.findByRole('status');
    expect(notice).toHaveTextContent('A newer version of ngxlab was installed.');
    expect(within(notice).getByRole('button', { name: 'Reload' })).toBeVisible();
  });

  it('signs out, and forgets what it knew', async () => {
    const server = serve({ 'GET /readyz': READY, 'POST /auth/logout': null });
    const { user, address, queryClient } = open();
    queryClient.setQueryData(listHostsQueryKey(), { items: [], next: null });
    await user.click(screen.getByRole('button', { name: 'Account and appearance' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
    await waitFor(() => expect(address()).toBe('/login?next=%2Fruns%3Fpage%3D2'));
    expect(server.to('POST /auth/logout')).toHaveLength(1);
    expect(queryClient.getQueryData(listHostsQueryKey())).toBeUndefined();
  });
});
