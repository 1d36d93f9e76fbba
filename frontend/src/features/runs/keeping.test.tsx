import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aPage, aRun, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { aShare } from '@/test/shares';
import { show } from '@/test/show';
import RunsPage from './RunsPage';
import { ENDED, showRunPage } from './showRunPage.testdata';

const CHOICES = { 'GET /runs/choices': { templates: [], hosts: [], nginx: [], people: [], tags: [] } };
const LINK = aShare();
const over = (changes = {}) => aRun({ state: 'completed', finished_at: ENDED, ...changes });

describe('A star', () => {
  it('is set in the list, which can be filtered by it', async () => {
    const server = serve({ ...CHOICES, 'GET /runs': aPage([aRunSummary()]), 'PUT /runs/run-1/star': null });
    const { user, address } = show(<RunsPage />, { path: '/runs' });
    const star = await screen.findByRole('button', { name: 'Star Socket sharding #1' });
    expect(star).toHaveAttribute('aria-pressed', 'false');
    server.answer('GET /runs', aPage([aRunSummary({ starred: true })]));
    await user.click(star);
    await waitFor(() => expect(star).toHaveAttribute('aria-pressed', 'true'));
    expect(server.to('PUT /runs/run-1/star')).toHaveLength(1);
    await user.click(screen.getByRole('checkbox', { name: 'Starred' }));
    await waitFor(() => expect(server.to('GET /runs').at(-1)?.query).toMatchObject({ starred: 'true' }));
    expect(address()).toBe('/runs?starred=true');
  });

  it('is taken away on the page of the run', async () => {
    const { user, server } = showRunPage(over({ starred: true }), { 'DELETE /runs/run-1/star': null });
    const star = await screen.findByRole('button', { name: 'Star Socket sharding #1' });
    server.answer('GET /runs/run-1', over());
    await user.click(star);
    await waitFor(() => expect(star).toHaveAttribute('aria-pressed', 'false'));
    expect(server.to('DELETE /runs/run-1/star')).toHaveLength(1);
  });

  it('is only seen by viewers', async () => {
    const other = aRunSummary({ id: 'run-2', number: 2 });
    serve({ ...CHOICES, 'GET /runs': aPage([aRunSummary({ starred: true }), other]) });
    show(<RunsPage />, { path: '/runs', role: 'viewer' });
    expect(await screen.findByRole('button', { name: 'Star Socket sharding #1' })).toBeDisabled();
    expect(screen.queryByRole('button', { name: 'Star Socket sharding #2' })).not.toBeInTheDocument();
  });
});

describe('Deleting a run', () => {
  const MORE = { name: 'More actions on Socket sharding #1' };

  it('says what is lost, which links end too, and leads away from its page', async () => {
    const ended = { ...LINK, id: 'share-2', works: false, revoked_at: ENDED };
    const { user, server, address } = showRunPage(over({ starred: true }), {
      'GET /runs/run-1/shares': [LINK, ended],
      'DELETE /runs/run-1': null,
    });
    await user.click(await screen.findByRole('button', MORE));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete Socket sharding #1?' }));
    expect(await dialog.findByText('1 link that shows it stops working.')).toBeInTheDocument();
    expect(dialog.getByText('Somebody starred it as worth keeping.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Delete the run' }));
    await waitFor(() => expect(address()).toBe('/runs'));
    expect(server.to('DELETE /runs/run-1').map(({ query }) => query)).toEqual([{ end_links: 'true' }]);
    expect(await screen.findByText('Socket sharding #1 was deleted.')).toBeInTheDocument();
  });

  it('can be thought better of, and says why it was refused', async () => {
    const refusal = 'A host is still at a trial of this run.';
    const server = serve({
      ...CHOICES,
      'GET /runs': aPage([aRunSummary()]),
      'GET /runs/run-1/shares': [],
      'DELETE /runs/run-1': problem(409, refusal),
    });
    const { user } = show(<RunsPage />, { path: '/runs' });
    await user.click(await screen.findByRole('button', MORE));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
    await user.click(await screen.findByRole('button', { name: 'Delete the run' }));
    expect(await screen.findByText(refusal)).toBeInTheDocument();
    expect(server.to('DELETE /runs/run-1')[0]?.query).toEqual({ end_links: 'false' });
    await user.click(screen.getByRole('button', { name: 'Keep the run' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('is offered for runs that are over, to their authors and administrators', async () => {
    const mine = aRunSummary({ state: 'running', finished_at: null });
    const other = aRunSummary({ id: 'run-2', number: 2, created_by: 'ada@example.org' });
    serve({ ...CHOICES, 'GET /runs': aPage([mine, other]) });
    const { user } = show(<RunsPage />, { path: '/runs' });
    await user.click(await screen.findByRole('button', MORE));
    expect(await screen.findByRole('menuitem', { name: /^Delete/ })).toBeDisabled();
    expect(screen.queryByRole('button', { name: /^More actions on .* #2/ })).not.toBeInTheDocument();
  });
});

describe('Raw data', () => {
  it('says what it takes', async () => {
    showRunPage(over({ raw_bytes: 5 * 2 ** 20 }));
    expect(await screen.findByText('raw data 5.00 MiB')).toBeInTheDocument();
  });

  it('that a rule removed is no longer drawn, and the page says so', async () => {
    const raw_removed = { at: ENDED, days: 90 };
    const { server } = showRunPage(over({ raw_bytes: 0, raw_removed }));
    expect(await screen.findByRole('note')).toHaveTextContent(
      'Raw data was removed on 2 Jan 2026 by the rule of 90 days.',
    );
    expect(server.to('GET /trials/trial-1/series')).toEqual([]);
  });

  it('that went with the history of a host is no longer drawn, either', async () => {
    showRunPage(over({ raw_bytes: 0, raw_removed: { at: ENDED, days: null } }));
    expect(await screen.findByRole('note')).toHaveTextContent(
      'Raw data was deleted on 2 Jan 2026 with the history of a host.',
    );
  });
});
