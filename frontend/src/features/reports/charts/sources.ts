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

interface Drawn {
  id: string;
  arm: string;
  /** In place of that of its arm. */
  label?: string;
}

/** The series of trials, as they are drawn. */
export function useReportSources({ arms }: Report, trials: readonly Drawn[]) {
  const { data, error, retry } = useShownSeries(trials.map(({ id }) => id));
  const drawn = trials.map(({ id, arm, label }) => ({
    trialId: id,
    armIndex: armIndex(arms, arm),
    armLabel: label ?? armLabel(arms, arm),
  }));
  const isLoaded = data.every((one) => one !== undefined);
  return { sources: useSources(drawn, data), error, retry, isLoaded };
}
