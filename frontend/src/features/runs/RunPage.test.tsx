import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { RunFlag } from '@/api/generated';
import { ControlledSource } from '@/test/ControlledSource';
import { aRun, aTrial } from '@/test/fixtures';
import { plain } from '@/test/plain';
import { problem } from '@/test/server';
import { ENDED, RATE, showRunPage } from './showRunPage.testdata';

const DONE = aRun({
  state: 'completed',
  finished_at: ENDED,
  headline: '`reuseport` served more requests.',
  trials: [0, 1, 2, 3].map((position) => aTrial(position, { state: 'completed', finished_at: ENDED })),
  progress: {
    ...aRun().progress,
    trials_done: 4,
    fraction: 1,
    current_trial_id: null,
    phase: null,
    arm: null,
  },
});

async function panel(title: string) {
  const heading = await screen.findByRole('heading', { name: title });
  return within(heading.closest('section') as HTMLElement);
}

const progress = () => within(screen.getByRole('region', { name: 'Progress' }));

describe('RunPage', () => {
  it('leads on from a run that is not there', async () => {
    showRunPage(aRun(), { 'GET /runs/run-1': problem(404, 'There is no such run.', 'not-found') });
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such run.');
    expect(screen.getByRole('heading', { level: 1 })).toBeVisible();
    expect(screen.getByRole('link', { name: 'All runs' })).toHaveAttribute('href', '/runs');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('says what runs where, and how far it is', async () => {
    showRunPage();
    expect(await screen.findByRole('heading', { name: 'Socket sharding #1' })).toBeInTheDocument();
    expect(screen.getByText('on alpha (target), beta (generator)')).toBeInTheDocument();
    expect(progress().getByText('measuring')).toBeInTheDocument();
    expect(progress().getByText(', block 1 of 2').parentElement).toHaveTextContent('reuseport, block 1 of 2');
    expect(progress().getByText('1 of 4 trials')).toBeInTheDocument();
    expect(progress().getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
    expect(screen.getByRole('link', { name: 'Report so far' })).toHaveAttribute('href', '/runs/run-1/report');
  });

  it('shows the verdict on the complete blocks while the run goes on, and not after it', async () => {
    const verdict_so_far = 'No conclusion on requests/s of `reuseport`.';
    const { send } = showRunPage(aRun({ verdict_so_far }));
    const shown = await panel('Verdict so far');
    expect(shown.getByText('reuseport', { selector: 'code' })).toBeInTheDocument();
    await send('run', { ...DONE, verdict_so_far: null });
    await panel('Verdict');
    expect(screen.queryByRole('heading', { name: 'Verdict so far' })).not.toBeInTheDocument();
  });

  it('flags checks as soon as they fire, in which trials, and what to do', async () => {
    const { send, user } = showRunPage();
    await screen.findByText('1 of 4 trials');
    expect(screen.getByText('None warns or fails.')).toBeInTheDocument();
    const noisy: RunFlag = {
      key: 'noisy-host',
      severity: 'warning',
      title: 'Nothing else ran on the host',
      message: 'steal 3.0 %',
      remedy: 'stop other work on this host',
      trial_ids: ['trial-1', 'trial-2'],
    };
    const saturated = {
      ...noisy,
      key: 'generator-saturated',
      severity: 'error' as const,
      trial_ids: ['trial-2'],
    };
    await send('run', aRun({ flags: [saturated, noisy] }));
    const shown = await panel('Checks so far');
    await user.click(shown.getByRole('button', { name: 'Checks so far' }));
    const [error, warning] = (await shown.findAllByRole('listitem')).map((item) => plain(item.textContent));
    expect(error).toBe(
      'errorgenerator-saturated: steal 3.0 %stop other work on this hostin this trial, so far',
    );
    expect(warning).toContain('in 2 trials, and in this one so far');
  });

  it('says what a queued run waits for, its place, and which run is in its way', async () => {
    const waiting_for = 'Waits for host alpha: Sockets #2 uses it. 1 run is ahead in the queue of its hosts.';
    const queued = { phase: null, arm: null, current_trial_id: null, waiting_for, queue_place: 2 };
    showRunPage(aRun({ state: 'queued', progress: { ...aRun().progress, ...queued, held_by: 'run-7' } }));
    expect(await screen.findByText('Place 2 in the queue.')).toBeInTheDocument();
    expect(progress().getByText(/Sockets #2 uses it/)).toBeInTheDocument();
    expect(progress().getByRole('link', { name: 'Open that run' })).toHaveAttribute('href', '/runs/run-7');
  });

  it('shows the trial that runs, and another when its cell is pressed', async () => {
    const { user, address } = showRunPage(aRun(), {}, '?view=trial');
    const running = await screen.findByRole('button', { name: /^reuseport, block 1, .*: measuring/ });
    expect(running).toHaveAttribute('aria-pressed', 'true');
    expect(screen.getByText('block 1, running now')).toBeInTheDocument();
    screen.getByRole('button', { name: /^accept_mutex on, block 1, .*completed · 50,000/ }).focus();
    await user.keyboard('{Enter}');
    expect(await screen.findByText('block 1, completed')).toBeInTheDocument();
    expect(address()).toBe('/runs/run-1?trial=trial-1');
    await user.click(screen.getByRole('button', { name: 'Follow the running trial' }));
    expect(await screen.findByText('block 1, running now')).toBeInTheDocument();
    expect(address()).toBe('/runs/run-1?view=trial');
  });

  it('draws points as they arrive', async () => {
    const { send } = showRunPage(aRun(), {}, '?view=trial');
    await screen.findByText('block 1, running now');
    const chart = await screen.findByRole('figure', { name: /^Requests per second/ });
    expect(chart).toHaveTextContent('No readings yet');
    const points = [0, 1].map((t_s) => ({
      key: RATE.key,
      label: 'wrk',
      unit: RATE.unit,
      t_s,
      value: 51_000,
    }));
    await send('points', { trial_id: 'trial-2', points });
    await waitFor(() => expect(chart).toHaveTextContent('51,000'));
    await waitFor(() => expect(chart.querySelector('path.recharts-curve')).toBeInTheDocument());
  });

  it('has the means of the arms race, from their first readings on', async () => {
    const run = aRun();
    const trials = run.trials.map((trial) => ({ ...trial, started_at: trial.phase_at }));
    const { send } = showRunPage({ ...run, trials });
    await screen.findByText('1 of 4 trials');
    expect(screen.getByRole('radio', { name: 'Arms overlaid' })).toBeChecked();
    const points = [1, 2].map((t_s) => ({
      key: RATE.key,
      label: 'wrk',
      unit: RATE.unit,
      t_s,
      value: 50_000 + 1000 * t_s,
    }));
    await send('points', { trial_id: 'trial-2', points });
    const race = await panel('So far');
    expect(await race.findByRole('img', { name: /^reuseport: 51,500/ })).toBeInTheDocument();
  });

  it('says so where the server tells no news', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { send } = showRunPage();
    await screen.findByText('1 of 4 trials');
    await send('run', aRun());
    act(() => void vi.advanceTimersByTime(4000));
    expect(screen.queryByText(/^no news/)).not.toBeInTheDocument();
    act(() => void vi.advanceTimersByTime(3000));
    expect(await screen.findByText(/^no news for \d/)).toBeInTheDocument();
    await send('run', aRun());
    await waitFor(() => expect(screen.queryByText(/^no news/)).not.toBeInTheDocument());
    const due = new Date(Date.parse(aRun().server_time) + 10_000).toISOString(); // 3 s from now
    await send('run', aRun({ progress: { ...aRun().progress, phase: 'finishing', phase_ends_at: due } }));
    act(() => void vi.advanceTimersByTime(6000)); // nothing is read in a cool-down that goes on as it should
    expect(screen.queryByText(/^no news/)).not.toBeInTheDocument();
    act(() => void vi.advanceTimersByTime(4000));
    expect(await screen.findByText(/^no news for \d/)).toBeInTheDocument();
    vi.useRealTimers();
  });

  it('goes on by the events of the stream', async () => {
    const { send, latest } = showRunPage();
    await screen.findByText('1 of 4 trials');
    await send('run', aRun({ progress: { ...aRun().progress, trials_done: 2, phase: 'finishing' } }));
    expect(await screen.findByText('2 of 4 trials')).toBeInTheDocument();
    expect(progress().getByText('cool-down')).toBeInTheDocument();
    await send('note', {
      trial_id: 'trial-1',
      severity: 'warning',
      code: 'late-start',
      message: 'The load began 61 ms late.',
    });
    expect(await screen.findByText('The load began 61 ms late.')).toBeInTheDocument();
    expect(screen.getByText('accept_mutex on, block 1')).toBeInTheDocument();
    expect(latest().url).toBe('/api/v1/runs/run-1/live');
  });

  it('says of a note whether it is of a heat or of a profile', async () => {
    const heat = aTrial(8, { heat: 1 });
    const profile = aTrial(9, { block: 0, profile: true });
    const { send } = showRunPage(aRun({ trials: [...aRun().trials, heat, profile] }));
    await screen.findByText('1 of 4 trials');
    for (const { id } of [heat, profile])
      await send('note', {
        trial_id: id,
        severity: 'warning',
        code: 'late-start',
        message: 'It began late.',
      });
    expect(await screen.findByText(/, heat 1, block \d$/)).toBeInTheDocument();
    expect(await screen.findByText(/, profile$/)).toBeInTheDocument();
  });

  it('tells the verdict when the run is over, and leads to the report', async () => {
    const { send, server, latest } = showRunPage();
    await screen.findByText('1 of 4 trials');
    server.answer('GET /runs/run-1', DONE);
    await send('run', { ...DONE, may_change: undefined });
    await send('over', {});
    expect(await screen.findByRole('heading', { name: 'Verdict' })).toBeInTheDocument();
    expect(await screen.findByRole('list', { name: 'Answers' })).toHaveTextContent(
      'More requests/s?Not decided',
    );
    expect(screen.getByRole('link', { name: 'Open report' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Cancel run' })).not.toBeInTheDocument();
    expect(latest().readyState).toBe(ControlledSource.CLOSED);
  });

  it('says that the connection is lost, until it is back', async () => {
    const { latest, opened } = showRunPage();
    await waitFor(() => expect(opened).toHaveLength(1));
    act(() => latest().fail(ControlledSource.CONNECTING));
    expect(await screen.findByText('Connection lost')).toBeInTheDocument();
    act(() => latest().onopen?.());
    await waitFor(() => expect(screen.queryByText('Connection lost')).not.toBeInTheDocument());
  });

  it('opens no stream for a run that is over', async () => {
    const { opened } = showRunPage(DONE);
    await screen.findByRole('heading', { name: 'Verdict' });
    expect(opened).toEqual([]);
  });

  it('shows why a run has failed, and tries its failed trials again', async () => {
    const failed = aRun({ state: 'failed', finished_at: ENDED, state_reason: 'nginx did not start.' });
    const { user, server } = showRunPage(failed, { 'POST /runs/run-1/retry': aRun() });
    expect(await screen.findByRole('heading', { name: 'The run has failed' })).toBeInTheDocument();
    expect(screen.getByText('nginx did not start.')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Retry failed trials' }));
    expect(await screen.findByRole('button', { name: 'Cancel run' })).toBeInTheDocument();
    expect(server.to('POST /runs/run-1/retry')).toHaveLength(1);
  });

  it('says that there is no such run', async () => {
    showRunPage(aRun(), { 'GET /runs/run-1': problem(404, 'There is no such run.') });
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such run.');
  });
});
