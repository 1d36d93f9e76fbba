import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunDetail, TrialOut } from '@/api/generated';
import { type TrialSeriesData, trialSeriesQuery } from '@/api/trialSeries';
import { useSources } from '@/components/charts/series/useSources';
import { armIndex, armLabel, latestAttempts } from '@/domain/trials';
import type { LiveSources } from './liveLines';

type Trials = Pick<RunDetail, 'arms' | 'trials'>;

/** The trial itself, then the latest completed trial of each other arm. */
export function trialsToShow(run: Trials, subject: TrialOut): TrialOut[] {
  const completed = latestAttempts(run.trials)
    .filter((trial) => trial.state === 'completed')
    .reverse();
  const others = run.arms
    .filter((arm) => arm.key !== subject.arm)
    .flatMap((arm) => completed.find((trial) => trial.arm === arm.key) ?? []);
  return [subject, ...others];
}

/** The trial that ran before the one under way; none before a trial that has ended or waits. */
export function trialBefore(
  { trials, progress }: Pick<RunDetail, 'trials' | 'progress'>,
  subject: TrialOut,
): TrialOut | undefined {
  if (subject.id !== progress.current_trial_id) return undefined;
  return latestAttempts(trials).findLast(
    ({ position, finished_at, started_at }) => position < subject.position && finished_at && started_at,
  );
}

/** In a map, as what is in a list would be compared, reading by reading, with what it was before. */
const seriesOf = (results: UseQueryResult<TrialSeriesData>[]) =>
  new Map(results.map(({ data }, place) => [place, data]));

/** Series of those trials. Keeps its identity until one of them changes. */
export function useTrialSources(run: RunDetail, subject: TrialOut): LiveSources {
  const drawn = trialsToShow(run, subject);
  const before = trialBefore(run, subject);
  const trials = before && !drawn.includes(before) ? [...drawn, before] : drawn;
  const series = useQueries({
    queries: trials.map((trial) => trialSeriesQuery(trial.id)),
    combine: seriesOf,
  });
  const data = useMemo(() => [...series.values()], [series]);
  const named = trials.map(({ id, arm }) => ({
    trialId: id,
    armIndex: armIndex(run.arms, arm),
    armLabel: armLabel(run.arms, arm),
  }));
  const all = useSources(named, data);
  const [count, beforeId] = [drawn.length, before?.id];
  return useMemo(
    () => ({ trials: all.slice(0, count), before: all.find(({ trialId }) => trialId === beforeId) }),
    [all, count, beforeId],
  );
}
