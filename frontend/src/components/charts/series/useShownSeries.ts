import { useTrialSeries } from '@/api/sharing/useTrialSeries';
import { useTimeRange } from '../time/range/timeRange';

/** The data of charts over time of several trials, in more detail where the page shows a part of their time. */
export function useShownSeries(trialIds: readonly string[]) {
  return useTrialSeries(trialIds, useTimeRange()?.range ?? null);
}
