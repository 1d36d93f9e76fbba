import { queryOptions } from '@tanstack/react-query';
import { mergeActions } from '@/domain/actions';
import { mergeSeries, type Series } from '@/domain/series';
import { unwrap } from './client';
import { type ActionMark, getTrialSeries } from './generated';
import { queryKeys } from './queryKeys';

export interface TrialSeriesData {
  trial_id: string;
  series: Series[];
  actions: ActionMark[];
}

/** Points a line gets from the database: about one a pixel. */
export const SERIES_POINTS = 600;

/**
 * All series of a trial. While it runs, live events add to this very cache entry, so a fetch merges with what is
 * there instead of replacing it: neither can lose the other's points. A finished trial never changes.
 */
export function trialSeriesQuery(trialId: string) {
  const queryKey = queryKeys.trialSeries(trialId);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<TrialSeriesData> => {
      const call = getTrialSeries({
        path: { trial_id: trialId },
        query: { points: SERIES_POINTS },
        signal,
        throwOnError: true,
      });
      const fetched = await unwrap(call);
      const live = client.getQueryData<TrialSeriesData>(queryKey);
      if (!live) return fetched;
      const series = mergeSeries(fetched.series, live.series);
      return { ...fetched, series, actions: mergeActions(fetched.actions, live.actions) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Lines that did not change keep their identity anyway; comparing each reading with itself takes long.
    structuralSharing: false,
    gcTime: 30 * 60_000,
  });
}

/** Points that all trials of a run together get in a line. */
const RUN_POINTS = 1200;
/** Fewer than these are no curve. */
const FEWEST_POINTS = 10;

/** Each trial's share of the points of a run, in steps of two: a block more does not load all of them again. */
export function pointsATrial(trials: number): number {
  const share = 2 ** Math.floor(Math.log2(RUN_POINTS / Math.max(1, trials)));
  return Math.min(SERIES_POINTS, Math.max(FEWEST_POINTS, share));
}

/** The series of `keys` of an ended trial, thinned: where many trials are drawn at once. */
export function coarseSeriesQuery(trialId: string, points: number, keys: string[]) {
  return queryOptions({
    // Below the key of the trial's series, so that what makes those stale makes these stale.
    queryKey: [...queryKeys.trialSeries(trialId), { points, keys }],
    queryFn: async ({ signal }): Promise<TrialSeriesData> =>
      unwrap(
        getTrialSeries({ path: { trial_id: trialId }, query: { points, keys }, signal, throwOnError: true }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
  });
}
