import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { SeriesInfo, TrialOut } from '@/api/generated';
import { aRun, aTrial } from '@/test/fixtures';
import { ENDED, RATE, showRunPage } from './showRunPage.testdata';

const LATENCY: SeriesInfo = { ...RATE, key: 'latency_ms', title: 'Latency', unit: 'ms' };
const SWITCHES: SeriesInfo = { ...RATE, key: 'context_switches_per_s', title: 'Context switches' };
const ROUTES = { 'GET /metrics/catalogue': [RATE, LATENCY, SWITCHES] };

const started = (position: number, changes: Partial<TrialOut>) =>
  aTrial(position, { started_at: `2026-01-02T03:04:${10 + position * 15}Z`, phase_at: ENDED, ...changes });
const done = { state: 'completed', finished_at: ENDED } as const;
const FIRST = aRun({
  trials: [started(0, done), started(1, { state: 'measuring' }), aTrial(2), aTrial(3)],
});
const NEXT = aRun({
  trials: [started(0, done), started(1, done), started(2, { state: 'warmup' }), aTrial(3)],
  progress: { ...aRun().progress, current_trial_id: 'trial-3', arm: 'mutex-on', block: 2, phase: 'warmup' },
});
const readings = (trial_id: string) => ({
  trial_id,
  points: [0, 1].flatMap((t_s) => [
    { key: RATE.key, label: 'wrk', unit: RATE.unit, t_s, value: 51_000 },
    ...['p50', 'p99'].map((label) => ({ key: LATENCY.key, label, unit: 'ms', t_s, value: 1.5 })),
    { key: SWITCHES.key, label: 'voluntary', unit: '', t_s, value: 7 },
  ]),
});

/** How strongly the curves of a chart are drawn; a line without readings has none. */
function opacities(title: RegExp) {
  const paths = [...screen.getByRole('figure', { name: title }).querySelectorAll('path.recharts-curve')];
  return [
    ...new Set(
      paths.filter((path) => path.getAttribute('d')).map((path) => path.getAttribute('stroke-opacity')),
    ),
  ];
}

describe('when the next trial begins', () => {
  it('the curves of the trial before stay, faint, until the next one has a reading', async () => {
    const { send } = showRunPage(FIRST, ROUTES, '?charts=all&view=trial');
    await screen.findByText('block 1, running now');
    await send('points', readings('trial-2'));
    await screen.findByRole('figure', { name: /^Context switches/ });
    await waitFor(() => expect(opacities(/^Latency/)).toEqual(['1']));
    await send('run', NEXT);
    await screen.findByText('block 2, running now');
    for (const chart of [/^Requests/, /^Latency/, /^Context switches/])
      await waitFor(() => expect(opacities(chart)).toEqual(['0.45']));
    await send('points', readings('trial-3'));
    for (const chart of [/^Latency/, /^Context switches/])
      await waitFor(() => expect(opacities(chart)).toEqual(['1']));
    await waitFor(() => expect(opacities(/^Requests/)).toEqual(['0.45', '1']));
  });

  it('the page says how old readings are when they appear, of those that are new', async () => {
    const { send } = showRunPage(FIRST, ROUTES, '?view=trial');
    await screen.findByText('block 1, running now');
    await send('points', readings('trial-2'));
    await screen.findByRole('figure', { name: /^Requests/ });
    expect(screen.queryByTitle(/on screen after/)).not.toBeInTheDocument();
    await send('points', { ...readings('trial-2'), read_at_us: Date.parse(FIRST.server_time) * 1000 });
    expect(await screen.findByTitle(/^Readings are on screen after \d+/)).toBeInTheDocument();
  });

  it('what the run says so far has had its place before there was anything to say', async () => {
    const { send } = showRunPage(FIRST, ROUTES, '?view=trial');
    await screen.findByText('It begins with the first complete block.');
    expect(screen.getByText('None warns or fails.')).toBeInTheDocument();
    await screen.findByRole('heading', { name: 'Notes' });
    const headings = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
    const before = headings();
    await send('run', { ...NEXT, verdict_so_far: 'No conclusion on requests/s of `reuseport`.' });
    await screen.findByText(/No conclusion/);
    expect(headings()).toEqual(before);
  });
});
