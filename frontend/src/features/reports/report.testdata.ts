import type { ActionMark, Report, ReportTrial, TrialLatencyMaps, TrialSummary } from '@/api/generated';
import { aRun } from '@/test/fixtures';
import json from './report.testdata.json';

/** The report of a real run of the template `reuseport`: two of its arms, and of its trials those of block 1. */
export function aReport(changes: Partial<Report> = {}): Report {
  return { ...structuredClone(json as Report), ...changes };
}

/** The same report with other summaries of its trials. */
export function withSummaries(
  change: (summary: TrialSummary, place: number) => Partial<TrialSummary>,
): Report {
  const changed = ({ trial, summary }: ReportTrial, place: number) => ({
    trial,
    summary: { ...summary, ...change(summary, place) },
  });
  return aReport({ trials: aReport().trials.map(changed) });
}

/** Series of a trial: a rate, the CPU of two workers, and one that no main chart shows. */
export function someSeries(trial_id: string, actions: ActionMark[] = []) {
  const line = (key: string, label: string, unit: string, value: number) => ({
    key,
    label,
    unit,
    points: [0, 1, 2].map((t) => [t, value + t]),
  });
  const series = [
    line('requests_per_s', 'wrk', 'requests/s', 40_000),
    line('worker_cpu_share', 'worker 1', '%', 30),
    line('worker_cpu_share', 'worker 2', '%', 20),
    line('pressure_share', 'CPU waiting', '%', 5),
  ];
  return { trial_id, arm: 'reuseport', block: 1, live_seq: 3, series, actions };
}

/** One second of warm-up without a histogram, then two with requests of about a millisecond, one of them slow. */
export function someLatencyMaps(trial_id: string, streams: readonly string[] = ['wrk']): TrialLatencyMaps {
  const counts = [null, [10, 200, 0, 0], [20, 100, 0, 1]];
  const map = { begin_s: -1, step_s: 1, bounds_ms: [0.1, 1, 10, 100, 1000], counts };
  return { trial_id, maps: streams.map((stream) => ({ ...map, stream })) };
}

/** The trials whose series the report draws. */
const DRAWN = ['trial-2', 'trial-3', 'trial-4', 'trial-8'];

/** What the network answers for the charts of these trials, of a run without profiles; `by` a link, its address. */
export function chartRoutes(by = ''): Record<string, unknown> {
  const at = by || '/runs/run-1';
  const routes = DRAWN.flatMap((id) => [
    [`GET ${by}/trials/${id}/series`, someSeries(id)],
    [`GET ${by}/trials/${id}/latency-maps`, someLatencyMaps(id)],
  ]);
  return { ...Object.fromEntries(routes), [`GET ${at}/profiles`]: [], [`GET ${at}/phases`]: [] };
}

/** What the network answers to whoever may read the report of run 1. */
export function reportRoutes(report: Report = aReport()): Record<string, unknown> {
  const run = aRun({ state: 'completed', finished_at: report.run.finished_at });
  return {
    'GET /runs/run-1': run,
    'GET /runs/run-1/notes': report.notes,
    'GET /runs/run-1/report': report,
    ...chartRoutes(),
  };
}
