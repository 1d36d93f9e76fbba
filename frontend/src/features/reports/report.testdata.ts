import type { ActionMark, Report, ReportTrial, TrialSummary } from '@/api/generated';
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

/** The trials whose series the report draws. */
export const DRAWN = ['trial-2', 'trial-3', 'trial-4', 'trial-8'];

/** What the network answers to whoever may read the report of run 1. */
export function reportRoutes(report: Report = aReport()): Record<string, unknown> {
  const series = DRAWN.map((id) => [`GET /trials/${id}/series`, someSeries(id)]);
  const run = aRun({ state: 'completed', finished_at: report.run.finished_at });
  return {
    'GET /runs/run-1': run,
    'GET /runs/run-1/notes': report.notes,
    'GET /runs/run-1/report': report,
    ...Object.fromEntries(series),
  };
}
