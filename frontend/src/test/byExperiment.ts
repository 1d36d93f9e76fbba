import type { ExperimentRuns, RunSummary } from '@/api/generated';

/** The experiments of these runs, each with that run as its newest and only one. */
export function byExperiment(...runs: RunSummary[]): ExperimentRuns[] {
  return runs.map((last_run) => ({
    experiment_id: last_run.experiment_id,
    runs: 1,
    runs_by_version: { [last_run.version]: 1 },
    last_run,
  }));
}
