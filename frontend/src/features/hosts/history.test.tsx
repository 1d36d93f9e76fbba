import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { HistoryPart, HostHistory } from '@/api/generated';
import { aHost } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import HostPage from './HostPage';

const HISTORY = '/hosts/host-1/history';

const aPart = (changes: Partial<HistoryPart> = {}): HistoryPart => ({
  starred: false,
  shared: false,
  others: false,
  raw: true,
  runs: 3,
  raw_bytes: 2 ** 20,
  ...changes,
});

const aHistory = (changes: Partial<HostHistory> = {}): HostHistory => ({
  parts: [
    aPart(),
    aPart({ raw: false, raw_bytes: 0, runs: 5 }),
    aPart({ starred: true, runs: 1 }),
    aPart({ shared: true, starred: true, runs: 1 }),
  ],
  under_way: 0,
  calibrations: 0,
  deletion: null,
  ...changes,
});

const DELETION = { asked_at: '2026-01-02T03:04:05Z', runs_left: 2 };

async function open(history: HostHistory, more: Parameters<typeof serve>[0] = {}) {
  const server = serve({
    'GET /hosts/host-1/calibrations': [],
    'GET /hosts/host-1': aHost(),
    [`GET ${HISTORY}`]: history,
    ...more,
  });
  const page = show(<HostPage />, { path: '/hosts/:hostId', at: '/hosts/host-1', role: 'administrator' });
  await page.user.click(await screen.findByRole('button', { name: 'Delete history' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete the history of alpha?' }));
  return { ...page, server, dialog };
}

describe("A host's history", () => {
  it('says how much goes, and spares what somebody keeps', async () => {
    const { dialog, user } = await open(aHistory());
    expect(await dialog.findByText('3 runs, 1.00 MiB of raw data')).toBeInTheDocument();
    expect(dialog.queryByLabelText(/with other hosts/)).not.toBeInTheDocument();
    await user.click(dialog.getByLabelText('Also 2 starred runs'));
    expect(dialog.getByText('4 runs, 2.00 MiB of raw data')).toBeInTheDocument();
    await user.click(dialog.getByLabelText('Also 1 run that links show'));
    expect(dialog.getByText('5 runs, 3.00 MiB of raw data')).toBeInTheDocument();
    expect(dialog.queryByText('These links stop working.')).not.toBeInTheDocument();
    await user.click(dialog.getByLabelText(/^Delete the runs themselves/));
    expect(dialog.getByText('10 runs, 3.00 MiB of raw data')).toBeInTheDocument();
    expect(dialog.getByText('These links stop working.')).toBeInTheDocument();
  });

  it('is deleted once the name is typed, and says how far that is', async () => {
    const { dialog, user, server } = await open(aHistory(), {
      [`DELETE ${HISTORY}`]: aHistory({ deletion: DELETION }),
    });
    const button = await dialog.findByRole('button', { name: 'Delete history' });
    expect(button).toBeDisabled();
    await user.type(dialog.getByLabelText('Type alpha to confirm'), 'alpha');
    await user.click(button);
    expect(await dialog.findByText('It is being deleted: 2 runs are left.')).toBeInTheDocument();
    const [sent] = server.to(`DELETE ${HISTORY}`);
    expect(sent?.query).toEqual({
      name: 'alpha',
      verdicts: 'false',
      starred: 'false',
      shared: 'false',
      others: 'false',
    });
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('cannot be deleted where there is none', async () => {
    const { dialog, user } = await open(aHistory({ parts: [], calibrations: 1 }));
    await user.type(await dialog.findByLabelText('Type alpha to confirm'), 'alpha');
    expect(dialog.getByText('0 runs, 0 B of raw data')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Delete history' })).toBeDisabled();
    await user.click(dialog.getByLabelText(/^Delete the runs themselves/));
    expect(dialog.getByRole('button', { name: 'Delete history' })).toBeEnabled();
  });

  it('says why it is not deleted', async () => {
    const detail = 'Its history is being deleted already.';
    const { dialog, user } = await open(aHistory(), { [`DELETE ${HISTORY}`]: problem(409, detail) });
    await user.type(await dialog.findByLabelText('Type alpha to confirm'), 'alpha{Enter}');
    expect(await dialog.findByText(detail)).toBeInTheDocument();
  });
});
