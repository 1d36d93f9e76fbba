import { useMemo } from 'react';
import type { TrialSeriesData } from '@/api/trialSeries';
import { useTrialSeries } from '@/api/trialSeries';
import { useTimeRange } from '../time/range/timeRange';
import type { TrialSource } from './lines';

/** A trial whose series are drawn, and the arm whose name and colour they bear. */
export type DrawnTrial = Pick<TrialSource, 'trialId' | 'armIndex' | 'armLabel'>;

/**
 * Trials with their series, `data` being in the order of `trials`; one that is not loaded yet has none. The result
 * keeps its identity until a trial or its data changes, so that charts are not drawn again for nothing.
 */
export function useSources(
  trials: readonly DrawnTrial[],
  data: readonly (TrialSeriesData | undefined)[],
): TrialSource[] {
  const key = JSON.stringify(trials); // callers make the list anew at every render
  return useMemo(
    () =>
      (JSON.parse(key) as DrawnTrial[]).map((trial, index) => ({
        ...trial,
        series: data[index]?.series ?? [],
        actions: data[index]?.actions ?? [],
      })),
    [key, data],
  );
}

/** The data of charts over time of several trials, in more detail where the page shows a part of their time. */
export function useShownSeries(trialIds: readonly string[]) {
  return useTrialSeries(trialIds, useTimeRange()?.range ?? null);
}
