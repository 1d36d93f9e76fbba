import { useQueries } from '@tanstack/react-query';
import type { RunDetail, TrialOut } from '@/api/generated';
import { trialSeriesQuery } from '@/api/trialSeries';
import type { TrialSource } from '@/components/charts/series/lines';
import { useSources } from '@/components/charts/series/useSources';
import { armIndex, armLabel, latestAttempts } from '@/domain/trials';

/** The trial itself, then the latest completed trial of each other arm. */
export function trialsToShow(run: Pick<RunDetail, 'arms' | 'trials'>, subject: TrialOut): TrialOut[] {
  const completed = latestAttempts(run.trials)
    .filter((trial) => trial.state === 'completed')
    .reverse();
  const others = run.arms
    .filter((arm) => arm.key !== subject.arm)
    .flatMap((arm) => completed.find((trial) => trial.arm === arm.key) ?? []);
  return [subject, ...others];
}

/** Series of those trials, subject first. Keeps its identity until one of them changes. */
export function useTrialSources(run: RunDetail, subject: TrialOut): TrialSource[] {
  const trials = trialsToShow(run, subject);
  const data = useQueries({
    queries: trials.map((trial) => trialSeriesQuery(trial.id)),
    combine: (results) => results.map((result) => result.data),
  });
  const drawn = trials.map(({ id, arm }) => ({
    trialId: id,
    armIndex: armIndex(run.arms, arm),
    armLabel: armLabel(run.arms, arm),
  }));
  return useSources(drawn, data);
}
