import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunDetail } from '@/api/generated';
import { CurveView } from '@/components/capacity/CurveView';
import { armColor, armDash } from '@/components/charts/palette';
import { ArmMark } from '@/components/experiments/ArmMark';
import { Panel } from '@/components/ui/Panel';
import { armIndex, armLabel, placeOf } from '@/domain/trials';
import { curvesKey, type LiveCurve, pointsOf } from './curves';

/** Only the live stream brings them. */
function useCurves(runId: string) {
  return useQuery<LiveCurve[]>({
    queryKey: curvesKey(runId),
    queryFn: ({ client }) => client.getQueryData<LiveCurve[]>(curvesKey(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The rates of the trial that runs, or that ran last, and the latest of each other arm; of an arm that has others, not
 * those of its profiles. */
export function CurvePanel({ run }: { run: RunDetail }) {
  const { data: curves = [] } = useCurves(run.id);
  const current = run.progress.current_trial_id;
  const shown = curves.find(({ trial_id }) => trial_id === current) ?? curves.at(-1);
  const trial = run.trials.find(({ id }) => id === shown?.trial_id);
  const curved = useMemo(() => {
    const byArm = new Map<string, LiveCurve>();
    const trials = new Map(run.trials.map((one) => [one.id, one]));
    const isProfile = ({ trial_id }: LiveCurve) => trials.get(trial_id)?.profile === true;
    const known = shown ? [...curves, shown] : curves;
    for (const one of [...known.filter(isProfile), ...known.filter((other) => !isProfile(other))]) {
      const arm = trials.get(one.trial_id)?.arm;
      if (arm !== undefined) byArm.set(arm, one);
    }
    return [...byArm]
      .map(([arm, curve]) => ({ index: armIndex(run.arms, arm), arm, curve }))
      .sort((a, b) => a.index - b.index)
      .map(({ index, arm, curve }) => ({
        label: armLabel(run.arms, arm),
        color: armColor(index),
        dash: armDash(index),
        points: pointsOf(curve),
      }));
  }, [curves, shown, run.arms, run.trials]);
  if (!shown || !trial)
    return (
      <Panel title={t`Curve`}>
        <Text
          size="sm"
          c="var(--text-dim)"
        >{t`The first rate begins with the measured window of each trial.`}</Text>
      </Panel>
    );
  const { planned } = shown;
  const tried = shown.tried.length;
  const label = armLabel(run.arms, trial.arm);
  return (
    <Panel title={t`Curve`} note={t`Each point is a rate of this trial, or of the latest of another arm.`}>
      <Text size="sm" role="status" mb="xs">
        <ArmMark index={armIndex(run.arms, trial.arm)} label={label} /> {placeOf(trial)}.{' '}
        {t`${tried} of ${planned} rates tried.`}
      </Text>
      <CurveView curved={curved} />
    </Panel>
  );
}
