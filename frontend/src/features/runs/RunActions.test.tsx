import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aRun } from '@/test/fixtures';
import { problem } from '@/test/server';
import { ENDED, showRunPage } from './showRunPage.testdata';

describe('What may be done with a run', () => {
  it('is cancelled only after it has asked', async () => {
    const cancelled = aRun({ cancel_requested_at: ENDED });
    const { user, server } = showRunPage(aRun(), { 'POST /runs/run-1/cancel': cancelled });
    await user.click(await screen.findByRole('button', { name: 'Cancel run' }));
    await user.click(await screen.findByRole('button', { name: 'Keep running' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.to('POST /runs/run-1/cancel')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Cancel run' }));
    await screen.findByRole('dialog', { name: 'Cancel this run?' });
    await user.click(screen.getByRole('button', { name: 'Cancel the run' }));
    expect(await screen.findByRole('button', { name: 'Cancelling…' })).toBeDisabled();
    expect(server.to('POST /runs/run-1/cancel')).toHaveLength(1);
    expect(screen.queryByRole('button', { name: 'Pause' })).not.toBeInTheDocument();
  });

  it('is paused, and resumed', async () => {
    const { user } = showRunPage(aRun(), {
      'POST /runs/run-1/pause': aRun({ paused_at: ENDED }),
      'POST /runs/run-1/resume': aRun(),
    });
    await user.click(await screen.findByRole('button', { name: 'Pause' }));
    await user.click(await screen.findByRole('button', { name: 'Resume' }));
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeInTheDocument();
  });

  it('asks whether to go on after a first trial of errors only', async () => {
    const asks = { reason: 'GET /files/0 -> 404, text/html, 153 B.', since: ENDED, until: ENDED };
    const { user, server } = showRunPage(aRun({ paused_at: ENDED, asks }), {
      'POST /runs/run-1/resume': aRun(),
    });
    const question = await screen.findByRole('alert');
    expect(question).toHaveTextContent('GET /files/0 -> 404, text/html, 153 B.');
    expect(within(question).getByRole('button', { name: 'Cancel' })).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Resume' })).not.toBeInTheDocument();
    await user.click(within(question).getByRole('button', { name: 'Go on' }));
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeInTheDocument();
    expect(server.to('POST /runs/run-1/resume')).toHaveLength(1);
    expect(screen.queryByText(/Nothing but errors/)).not.toBeInTheDocument();
  });

  it('shows the question to those who may not answer it', async () => {
    const asks = { reason: 'Errors only.', since: ENDED, until: ENDED };
    showRunPage(aRun({ paused_at: ENDED, asks, may_change: false }));
    const question = await screen.findByRole('alert');
    expect(within(question).queryByRole('button')).not.toBeInTheDocument();
  });

  it('says so where the server refuses', async () => {
    const detail = 'The run is already over.';
    const { user } = showRunPage(aRun(), { 'POST /runs/run-1/pause': problem(409, detail) });
    await user.click(await screen.findByRole('button', { name: 'Pause' }));
    expect(await screen.findByText(detail)).toBeInTheDocument();
  });

  it('skips the trial in question', async () => {
    const trials = aRun().trials.map((trial) =>
      trial.id === 'trial-3' ? { ...trial, state: 'skipped' } : trial,
    );
    const { user, server } = showRunPage(
      aRun(),
      { 'POST /trials/trial-3/skip': { ...aRun(), trials } },
      '?trial=trial-3',
    );
    await user.click(await screen.findByRole('button', { name: 'Skip trial' }));
    expect(await screen.findByRole('dialog')).toHaveTextContent('accept_mutex on, block 2');
    await user.click(screen.getByRole('button', { name: 'Skip the trial' }));
    expect(await screen.findByText('block 2, skipped')).toBeInTheDocument();
    expect(server.to('POST /trials/trial-3/skip')).toHaveLength(1);
  });

  it('is offered to nobody who may not', async () => {
    showRunPage(aRun({ may_change: false }));
    await screen.findByText('1 of 4 trials');
    for (const name of ['Cancel run', 'Pause', 'Skip trial'])
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument();
  });
});
