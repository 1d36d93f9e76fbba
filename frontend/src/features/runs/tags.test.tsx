import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aPage, aRun, aRunSummary } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import RunsPage from './RunsPage';
import { showRunPage } from './showRunPage.testdata';

const CHOICES = {
  'GET /runs/choices': { templates: [], hosts: [], nginx: [], people: [], tags: ['kernel-6.12', 'nightly'] },
};
const EDITOR = { name: 'Tags of Socket sharding #1' };
const shown = () =>
  within(screen.getByRole('list', { name: 'Tags' }))
    .getAllByRole('link')
    .map((link) => link.textContent);

describe('Tags of a run', () => {
  it('are added and removed on its page, and others are suggested', async () => {
    const { user, server } = showRunPage(aRun({ tags: ['old'] }), {
      ...CHOICES,
      'PATCH /runs/run-1/tags': { tags: [] },
    });
    await user.click(await screen.findByRole('button', EDITOR));
    const field = await screen.findByRole('combobox', { name: 'Tags' });
    server.answer('GET /runs/run-1', aRun({ tags: ['nightly', 'old'] }));
    await user.click(field);
    await user.click(await screen.findByRole('option', { name: 'nightly' }));
    await waitFor(() => expect(shown()).toEqual(['nightly', 'old']));
    server.answer('GET /runs/run-1', aRun({ tags: ['mine', 'nightly', 'old'] }));
    await user.type(field, '#Mine{Enter}');
    await waitFor(() => expect(shown()).toEqual(['mine', 'nightly', 'old']));
    server.answer('GET /runs/run-1', aRun({ tags: ['mine', 'nightly'] }));
    await user.type(field, '{Backspace}');
    await waitFor(() => expect(shown()).toEqual(['mine', 'nightly']));
    expect(server.bodies('PATCH /runs/run-1/tags')).toEqual([
      { add: ['nightly'], remove: [] },
      { add: ['mine'], remove: [] },
      { add: [], remove: ['old'] },
    ]);
  });

  it('say what is none, and why the server refuses', async () => {
    const refusal = 'A run has at most 20 tags. Remove others first.';
    const { user, server } = showRunPage(aRun(), {
      ...CHOICES,
      'PATCH /runs/run-1/tags': problem(422, refusal),
    });
    await user.click(await screen.findByRole('button', EDITOR));
    const field = await screen.findByRole('combobox', { name: 'Tags' });
    await user.type(field, '-x{Enter}');
    expect(await screen.findByText('“-x” cannot be a tag.')).toBeInTheDocument();
    expect(server.to('PATCH /runs/run-1/tags')).toEqual([]);
    await user.type(field, 'x{Enter}');
    expect(await screen.findByText(refusal)).toBeInTheDocument();
  });

  it('are only seen by others', async () => {
    showRunPage(aRun({ created_by: 'ada@example.org', tags: ['nightly'] }));
    expect(await screen.findByRole('link', { name: 'nightly' })).toHaveAttribute('href', '/runs?tag=nightly');
    expect(screen.queryByRole('button', EDITOR)).not.toBeInTheDocument();
  });
});

describe('The list of runs', () => {
  it('is filtered by the tags of its address', async () => {
    const run = aRunSummary({ tags: ['kernel-6.12', 'nightly'] });
    const server = serve({ ...CHOICES, 'GET /runs': aPage([run]) });
    const { user, address } = show(<RunsPage />, { path: '/runs', at: '/runs?tag=Nightly,a b' });
    await waitFor(() => expect(shown()).toEqual(['kernel-6.12', 'nightly']));
    expect(server.to('GET /runs').at(-1)?.query).toEqual({ tag: 'nightly', limit: '50', start: '0' });
    await user.click(screen.getByRole('combobox', { name: 'Tags' }));
    await user.click(await screen.findByRole('option', { name: 'kernel-6.12' }));
    await waitFor(() => expect(address()).toBe('/runs?tag=nightly%2Ckernel-6.12'));
    await waitFor(() => expect(server.to('GET /runs').at(-1)?.query.tag).toBe('kernel-6.12'));
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    await waitFor(() => expect(address()).toBe('/runs'));
  });
});
