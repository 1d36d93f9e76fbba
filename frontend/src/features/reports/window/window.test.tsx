import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Report } from '@/api/generated';
import { serve } from '@/test/server';
import { choose, show } from '@/test/show';
import ReportPage from '../ReportPage';
import { aReport, reportRoutes } from '../report.testdata';
import { dragged, problemOf } from './window';

const WINDOW = '/runs/run-1/window';
const BOUNDS = { earliest: -1, latest: 4 };

function withWindows(changes: Partial<Report['windows']>, chosen_window: string | null = null): Report {
  const report = aReport();
  const planned = { start_s: 0, end_s: 4 };
  return {
    ...report,
    analysis: { ...report.analysis, chosen_window },
    windows: { ...report.windows, planned, earliest_s: -1, ...changes },
  };
}

async function openReport(report: Report, more: Record<string, unknown> = {}) {
  const server = serve({ ...reportRoutes(report), ...more });
  const page = show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
  await page.user.click(await screen.findByRole('button', { name: 'Open all sections' }));
  return { server, ...page };
}

const MOVED = {
  run: { start_s: 1, end_s: 3 },
  changes: [
    {
      trial_id: null,
      window: { start_s: 1, end_s: 3 },
      reason: 'a backup began',
      changed_by: 'x@example.org',
      changed_at: '2026-01-02T03:04:05Z',
    },
  ],
};

describe('A window', () => {
  it('follows a drag in either direction, within the load, and lasts a second', () => {
    expect(dragged(0.52, 2.96, BOUNDS)).toEqual({ start_s: 0.5, end_s: 3 });
    expect(dragged(9, 1, BOUNDS)).toEqual({ start_s: 1, end_s: 4 });
    expect(dragged(4, 4, BOUNDS)).toEqual({ start_s: 3, end_s: 4 });
    expect(dragged(-5, -5, BOUNDS)).toEqual({ start_s: -1, end_s: 0 });
  });

  it('says what is wrong with it', () => {
    expect(problemOf(0, 4, BOUNDS)).toBeNull();
    expect(problemOf('', 4, BOUNDS)).toBe('Enter both ends of the window.');
    expect(problemOf(-2, 4, BOUNDS)).toBe('The load lasted from −1 s to 4 s.');
    expect(problemOf(2, 2.5, BOUNDS)).toBe('A window lasts at least 1 s.');
  });
});

describe('The section of the measured window', () => {
  it('applies fields after a question, and not before', async () => {
    const { server, user } = await openReport(withWindows({}), { [`PUT ${WINDOW}`]: {} });
    const use = await screen.findByRole('button', { name: 'Use this window' });
    expect(use).toBeDisabled();
    await user.clear(screen.getByLabelText('From (s)'));
    await user.type(screen.getByLabelText('From (s)'), '1');
    await user.type(screen.getByLabelText('Reason (shown in the report)'), 'a backup began');
    expect(screen.getByText(/not applied yet/)).toBeInTheDocument();
    await user.click(use);
    const dialog = within(await screen.findByRole('dialog'));
    expect(server.to(`PUT ${WINDOW}`)).toHaveLength(0);
    await user.click(dialog.getByRole('button', { name: 'Use this window' }));
    await waitFor(() =>
      expect(server.bodies(`PUT ${WINDOW}`)).toEqual([{ start_s: 1, end_s: 4, reason: 'a backup began' }]),
    );
  });

  it('is chosen by a drag across the chart', async () => {
    await openReport(withWindows({}));
    const chart = await screen.findByRole('img', { name: 'Requests/s over time; the window is 0 s to 4 s' });
    chart.getBoundingClientRect = () => ({ left: 0, width: 500 }) as DOMRect;
    fireEvent.pointerDown(chart, { clientX: 200, button: 0 });
    fireEvent.pointerMove(chart, { clientX: 400 });
    fireEvent.pointerUp(chart);
    fireEvent.pointerMove(chart, { clientX: 10 });
    expect(screen.getByRole('img', { name: /the window is 1 s to 3 s/ })).toBeInTheDocument();
    expect(screen.getByLabelText('To (s)')).toHaveValue('3');
  });

  it('needs a reason for a single trial', async () => {
    const { server, user } = await openReport(withWindows({}), { 'PUT /trials/trial-2/window': {} });
    const use = await screen.findByRole('button', { name: 'Use this window' });
    await choose(user, 'For', /^Trial 2:/);
    await user.clear(screen.getByLabelText('To (s)'));
    await user.type(screen.getByLabelText('To (s)'), '3');
    expect(use).toBeDisabled();
    await user.type(screen.getByLabelText('Reason (needed for a single trial)'), 'a backup began');
    await user.click(use);
    await user.click(
      within(await screen.findByRole('dialog')).getByRole('button', { name: 'Use this window' }),
    );
    await waitFor(() => expect(server.to('PUT /trials/trial-2/window')).toHaveLength(1));
  });

  it('says who moved it, and restores the planned one with a click', async () => {
    const said = 'The measured window was chosen after the run: 1 s to 3 s instead of 0 s to 4 s.';
    const { server, user } = await openReport(withWindows(MOVED, said), { [`DELETE ${WINDOW}`]: {} });
    const [change] = within(await screen.findByRole('list', { name: 'Changes of the window' })).getAllByRole(
      'listitem',
    );
    expect(change).toHaveTextContent(
      /^1 s to 3 s \(original: 0 s to 4 s\) by x@example.org on .*: a backup began$/,
    );
    expect(screen.getByText('The window was chosen after the run')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Restore the planned window' }));
    await waitFor(() => expect(server.to(`DELETE ${WINDOW}`)).toHaveLength(1));
  });

  it('lets a reader see it, and not move it', async () => {
    await openReport(withWindows({ ...MOVED, may_choose: false }));
    await screen.findByRole('heading', { name: 'Measured window' });
    expect(screen.queryByRole('button', { name: 'Use this window' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Restore the planned window' })).not.toBeInTheDocument();
  });

  it('is told without a drawing where raw data was removed', async () => {
    const report = withWindows({ may_choose: false });
    const raw_removed = { at: '2026-01-02T03:04:05Z', days: 90 };
    await openReport({ ...report, run: { ...report.run, raw_removed } });
    expect(
      await screen.findByText('Everything is computed from 0 s to 4 s, as planned.'),
    ).toBeInTheDocument();
    expect(screen.queryByText(/start of the planned window/)).not.toBeInTheDocument();
  });

  it('selects a suggestion and applies nothing', async () => {
    const report = withWindows({});
    const suggested_window = {
      window: { start_s: 2, end_s: 4 },
      trials: 3,
      of_trials: 4,
      text: 'Too short.',
    };
    const { server, user } = await openReport({
      ...report,
      analysis: { ...report.analysis, suggested_window },
    });
    await user.click(await screen.findByRole('button', { name: 'Select 2 s to 4 s' }));
    expect(screen.getByLabelText('From (s)')).toHaveValue('2');
    expect(server.to(`PUT ${WINDOW}`)).toHaveLength(0);
  });
});

describe('The bottleneck of each arm', () => {
  it('is named with its evidence', async () => {
    const report = aReport();
    const [first, ...others] = report.analysis.arms;
    const bottleneck = {
      resource: 'one worker' as const,
      trials: 3,
      of_trials: 4,
      evidence: 'the busiest of 4 workers ran 95 % of the time',
      resources: [],
    };
    await openReport({
      ...report,
      analysis: { ...report.analysis, arms: [{ ...first, bottleneck } as typeof first, ...others] as never },
    });
    expect(await screen.findByText('one worker')).toBeInTheDocument();
    expect(screen.getByText('the busiest of 4 workers ran 95 % of the time')).toBeInTheDocument();
  });
});
