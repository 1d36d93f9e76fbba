import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Role, ScheduleOut } from '@/api/generated';
import { aHostRow, anExperiment } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import { SchedulesPanel } from './SchedulesPanel';

const WHEN = 'every day at 02:00, Europe/Berlin';
const schedule = (changes: Partial<ScheduleOut> = {}): ScheduleOut => ({
  id: 'schedule-1',
  experiment_id: 'experiment-1',
  experiment_name: 'Socket sharding',
  created_by: 'me@example.org',
  created_at: '2026-01-02T03:04:05Z',
  may_change: true,
  timing: { repeats: 'daily', time: '02:00', zone: 'Europe/Berlin' },
  text: WHEN,
  state: 'active',
  pause_reason: null,
  by_token: null,
  next_at: '2099-01-02T01:00:00Z',
  last_day: null,
  most_runs: null,
  started: 0,
  latest: [],
  ...changes,
});

function open(schedules: ScheduleOut[], more: Record<string, unknown> = {}, role: Role = 'experimenter') {
  const server = serve({ 'GET /schedules': schedules, 'GET /hosts': [aHostRow()], ...more });
  return { server, ...show(<SchedulesPanel experiment={anExperiment()} />, { role }) };
}

describe('SchedulesPanel', () => {
  it('says that there is none, and lets viewers make none', async () => {
    open([], {}, 'viewer');
    expect(await screen.findByText(/It runs only when somebody starts it/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'New schedule' })).not.toBeInTheDocument();
  });

  it('makes a weekly schedule with a number of runs', async () => {
    const { server, user } = open([], { 'POST /experiments/experiment-1/schedules': schedule() });
    await user.click(await screen.findByRole('button', { name: 'New schedule' }));
    await user.click(await screen.findByRole('radio', { name: 'Weekly' }));
    await user.click(screen.getByRole('checkbox', { name: 'Thu' }));
    await user.click(screen.getByRole('combobox', { name: 'Ends' }));
    await user.click(await screen.findByRole('option', { name: 'after a number of runs' }));
    server.answer('GET /schedules', [schedule()]);
    await user.click(screen.getByRole('button', { name: 'Create schedule' }));
    expect(await screen.findByText(WHEN)).toBeInTheDocument();
    const [body] = server.bodies('POST /experiments/experiment-1/schedules') as Record<string, unknown>[];
    expect(body).toMatchObject({ timing: { repeats: 'weekly', time: '02:00', weekdays: ['mon', 'thu'] } });
    expect(body).toMatchObject({ most_runs: 10 });
  });

  it('asks for a day where it shall run once, and shows what the server refuses', async () => {
    const { user } = open([], {
      'POST /experiments/experiment-1/schedules': problem(422, 'This time is over.', 'invalid'),
    });
    await user.click(await screen.findByRole('button', { name: 'New schedule' }));
    await user.click(await screen.findByRole('radio', { name: 'Once' }));
    expect(screen.getByRole('button', { name: 'Create schedule' })).toBeDisabled();
    await user.type(screen.getByLabelText('Day'), '2030-12-31');
    await user.click(screen.getByRole('button', { name: 'Create schedule' }));
    expect(await screen.findByText('This time is over.')).toBeInTheDocument();
  });

  it('shows what became of the last time, and pauses', async () => {
    const skipped = {
      due_at: '2026-01-02T01:00:00Z',
      outcome: 'skipped' as const,
      reason: 'Run 1, the one before, was still running.',
      run_id: null,
      run_number: null,
      run_state: null,
    };
    const { server, user } = open([schedule({ latest: [skipped] })], {
      'PATCH /schedules/schedule-1': schedule({ state: 'paused', next_at: null }),
    });
    await user.click(await screen.findByRole('button', { name: `Pause the schedule ${WHEN}` }));
    await waitFor(() => expect(server.bodies('PATCH /schedules/schedule-1')).toEqual([{ paused: true }]));
    expect(rowsOf(screen.getByRole('table'))[0]).toContain('skipped');
    expect(screen.getByText(/was still running/)).toBeInTheDocument();
  });

  it('says that the last run was deleted', async () => {
    const deleted = {
      due_at: '2026-01-02T01:00:00Z',
      outcome: 'started' as const,
      reason: null,
      run_id: null,
      run_number: null,
      run_state: null,
    };
    open([schedule({ latest: [deleted] })]);
    expect(rowsOf(await screen.findByRole('table'))[0]).toContain('a run that was deleted, 2 Jan 2026');
  });
});
