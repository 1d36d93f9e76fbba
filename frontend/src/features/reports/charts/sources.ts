import type { Report, ReportTrial } from '@/api/generated';
import { useShownSeries, useSources } from '@/components/charts/series/lines';
import { armIndex, armLabel } from '@/domain/trials';

export function usableTrials(report: Report): ReportTrial[] {
  return report.trials.filter(({ summary }) => summary.usable);
}

/** The blocks in which trials are usable. */
export function blocksOf(trials: readonly ReportTrial[]): number[] {
  return [...new Set(trials.map(({ trial }) => trial.block))].sort((a, b) => a - b);
}

/** `block`: its number, or `all`. */
export function trialsOf(trials: readonly ReportTrial[], block: string): readonly ReportTrial[] {
  return block === 'all' ? trials : trials.filter(({ trial }) => String(trial.block) === block);
}

/** The series of trials, as they are drawn. */
export function useReportSources(report: Report, trials: readonly ReportTrial[]) {
  const { data, error, retry } = useShownSeries(trials.map(({ trial }) => trial.id));
  const drawn = trials.map(({ trial }) => ({
    trialId: trial.id,
    armIndex: armIndex(report.arms, trial.arm),
    armLabel: armLabel(report.arms, trial.arm),
  }));
  const isLoaded = data.every((one) => one !== undefined);
  return { sources: useSources(drawn, data), error, retry, isLoaded };
}
