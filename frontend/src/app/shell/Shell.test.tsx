import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { queryKeys } from '@/api/queryKeys';
import { trialSeriesQuery } from '@/api/trialSeries';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { Shell } from './Shell';

const open = (role: 'experimenter' | 'administrator' | null = 'experimenter') =>
  show(<Shell />, { path: '/runs', at: '/runs?page=2', role });

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

  it('leads administrators to the audit log, too', () => {
    open('administrator');
    expect(screen.getByRole('link', { name: 'Audit log' })).toHaveAttribute('href', '/audit');
  });

  it('begins with a way past the navigation', async () => {
    const { user } = open();
    await user.tab();
    expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveFocus();
    expect(screen.getByRole('main')).toHaveAttribute('id', 'main');
  });

  it('sends whoever is not signed in to sign in, and back afterwards', () => {
    const { address } = open(null);
    expect(address()).toBe('/login?next=%2Fruns%3Fpage%3D2');
  });

  it('does so, too, when the session has ended under a page', async () => {
    const { address, queryClient } = open();
    serve({ 'GET /trials/trial-1/series': problem(401, 'Sign in first.', 'not-signed-in') });
    await queryClient.fetchQuery(trialSeriesQuery('trial-1')).catch(() => null);
    await waitFor(() => expect(address()).toMatch(/^\/login\?next=/));
  });

  it('signs out, and forgets what it knew', async () => {
    const server = serve({ 'POST /auth/logout': null });
    const { user, address, queryClient } = open();
    queryClient.setQueryData(queryKeys.hosts, []);
    await user.click(screen.getByRole('button', { name: 'Account and appearance' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
    await waitFor(() => expect(address()).toMatch(/^\/login/));
    expect(server.to('POST /auth/logout')).toHaveLength(1);
    expect(queryClient.getQueryData(queryKeys.hosts)).toBeUndefined();
  });
});
