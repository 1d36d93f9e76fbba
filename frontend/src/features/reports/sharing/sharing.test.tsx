import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Role, ShareCreated } from '@/api/generated';
import { problem, serve } from '@/test/server';
import { aShare } from '@/test/shares';
import { choose, show } from '@/test/show';
import ReportPage from '../ReportPage';
import { aReport, chartRoutes, reportRoutes } from '../report.testdata';
import SharedReportPage from './SharedReportPage';

const SHARES = '/runs/run-1/shares';
const created = (): ShareCreated => ({ ...aShare(), url: 'http://server/shared/secret' });

async function openDialog(more: Record<string, unknown>) {
  const server = serve({ ...reportRoutes(), [`GET ${SHARES}`]: [], ...more });
  const { user } = show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
  await user.click(await screen.findByRole('button', { name: 'Share' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Share this report' }));
  await dialog.findByRole('button', { name: 'Create link' });
  return { server, user, dialog };
}

async function confirmRevoking(user: UserEvent) {
  const question = within(await screen.findByRole('dialog', { name: 'Revoke this link?' }));
  await user.click(question.getByRole('button', { name: 'Revoke' }));
}

describe('The dialog that shares a report', () => {
  it('makes a link of the chosen life', async () => {
    const { server, user, dialog } = await openDialog({ [`POST ${SHARES}`]: created() });
    await choose(user, 'Valid for', '7 days');
    server.answer(`GET ${SHARES}`, [aShare()]);
    await user.click(dialog.getByRole('button', { name: 'Create link' }));
    expect(await dialog.findByText('http://server/shared/secret')).toBeInTheDocument();
    expect(dialog.getByText(/shown only this once/)).toBeInTheDocument();
    expect(server.bodies(`POST ${SHARES}`)).toEqual([{ expires_in_days: 7 }]);
  });

  it('shows only links that still open the report, and revokes them', async () => {
    const over = [
      aShare({ id: 'share-2', works: false, revoked_at: '2026-01-02T03:04:05Z' }),
      aShare({ id: 'share-3', works: false, expires_at: '2026-01-02T03:04:05Z' }),
    ];
    const { server, user, dialog } = await openDialog({
      [`GET ${SHARES}`]: [aShare(), ...over],
      'DELETE /shares/share-1': null,
    });
    expect(await dialog.findAllByRole('button', { name: 'Revoke' })).toHaveLength(1);
    server.answer(`GET ${SHARES}`, over);
    expect(dialog.getByText(/^revoked/)).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Revoke' }));
    expect(server.to('DELETE /shares/share-1')).toHaveLength(0);
    await confirmRevoking(user);
    await waitFor(() => expect(dialog.queryByRole('button', { name: 'Revoke' })).not.toBeInTheDocument());
    expect(server.to('DELETE /shares/share-1')).toHaveLength(1);
  });

  it('no longer offers a new link once it is revoked', async () => {
    const { server, user, dialog } = await openDialog({
      [`POST ${SHARES}`]: created(),
      'DELETE /shares/share-1': null,
    });
    server.answer(`GET ${SHARES}`, [aShare()]);
    await user.click(dialog.getByRole('button', { name: 'Create link' }));
    server.answer(`GET ${SHARES}`, [aShare({ works: false, revoked_at: '2026-01-02T03:04:05Z' })]);
    await user.click(await dialog.findByRole('button', { name: 'Revoke' }));
    await confirmRevoking(user);
    await waitFor(() => expect(dialog.queryByText('http://server/shared/secret')).not.toBeInTheDocument());
  });

  it('says that the report has changed since a link was made, and refreshes what the link shows', async () => {
    const old = aShare({ as_of: '2026-01-02T03:04:05Z', is_outdated: true });
    const others = [aShare({ id: 'share-2', kind: 'comparison' }), aShare({ id: 'share-3', as_of: null })];
    const { server, user, dialog } = await openDialog({
      [`GET ${SHARES}`]: [old, ...others],
      'POST /shares/share-1/refresh': aShare(),
    });
    expect(await dialog.findByText(/What stands there has changed since/)).toBeInTheDocument();
    expect(dialog.getByText(/^Follows the run/)).toBeInTheDocument();
    expect(dialog.getAllByRole('button', { name: 'Revoke' })).toHaveLength(2);
    server.answer(`GET ${SHARES}`, [aShare()]);
    await user.click(dialog.getByRole('button', { name: 'Refresh' }));
    await waitFor(() => expect(dialog.queryByText(/has changed since/)).not.toBeInTheDocument());
    expect(server.to('POST /shares/share-1/refresh')).toHaveLength(1);
  });

  it('is not for viewers', async () => {
    serve(reportRoutes());
    const role: Role = 'viewer';
    show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report', role });
    await screen.findByRole('region', { name: 'Verdict' });
    expect(screen.queryByRole('button', { name: 'Share' })).not.toBeInTheDocument();
  });
});

describe('SharedReportPage', () => {
  const open = (more: Record<string, unknown> = {}) => {
    const shown = { ...aReport(), as_of: '2026-01-03T00:00:00Z' };
    const server = serve({ 'GET /shared/secret': shown, ...chartRoutes('/shared/secret'), ...more });
    const at = '/shared/secret';
    return { server, ...show(<SharedReportPage />, { path: '/shared/:token', at, role: null }) };
  };

  it('shows the whole report by its link alone', async () => {
    const { server, user } = open({ 'GET /shared/secret/trials/trial-2/artefacts': [] });
    expect(await screen.findByRole('heading', { name: 'Socket sharding #1' })).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Verdict' })).toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Open all sections' }));
    await waitFor(() => expect(server.to('GET /shared/secret/trials/trial-2/series')).toHaveLength(1));
    expect(await screen.findByRole('figure', { name: /^Latency of all requests/ })).toBeInTheDocument();
    await user.click(screen.getAllByRole('button', { name: 'Details' })[0] as HTMLElement);
    expect(await screen.findByText('No file was kept.')).toBeInTheDocument();
  });

  it('says as of when its words are, or that they follow the run', async () => {
    open();
    expect(await screen.findByText(/^As of .*2026/)).toBeInTheDocument();
    open({ 'GET /shared/secret': { ...aReport(), as_of: null } });
    expect(await screen.findByText(/this page follows it/)).toBeInTheDocument();
  });

  it('offers nothing that needs an account', async () => {
    open();
    await screen.findByRole('region', { name: 'Verdict' });
    expect(screen.queryByRole('button', { name: 'Share' })).not.toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Run page' })).not.toBeInTheDocument();
  });

  it('says that a link opens nothing any more', async () => {
    open({ 'GET /shared/secret': problem(404, 'This link is unknown, revoked or expired.', 'unknown-link') });
    expect(await screen.findByRole('alert')).toHaveTextContent('This link is unknown, revoked or expired.');
  });
});
