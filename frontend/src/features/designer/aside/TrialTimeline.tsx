import { t } from '@lingui/core/macro';
import type { DesignPlan } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';
import { PerturbationLane } from './PerturbationLane';

const phases = () =>
  [
    { name: t`warm-up`, key: 'warmup_s' },
    { name: t({ message: 'measure', context: 'phase' }), key: 'measure_s' },
    { name: t`cool-down`, key: 'cooldown_s' },
  ] as const;

interface PhasesProps {
  plan: DesignPlan;
  /** Seconds as a share of the trial. */
  percent: (seconds: number) => string;
}

function Phases({ plan, percent }: PhasesProps) {
  return (
    <div className={classes.trialRow}>
      <span>{t`one trial`}</span>
      <div className={classes.phases}>
        {phases()
          .filter(({ key }) => plan[key] > 0)
          .map(({ name, key }) => (
            <i
              key={key}
              data-phase={key}
              style={{ width: percent(plan[key]) }}
              title={`${name} ${plan[key]} s`}
            >
              <span>
                {name} {formatDuration(plan[key])}
              </span>
            </i>
          ))}
      </div>
    </div>
  );
}

interface LaneProps extends Pick<PhasesProps, 'percent'> {
  stream: DesignPlan['streams'][number];
}

function StreamLane({ stream: { key, slot, start_s, end_s }, percent }: LaneProps) {
  return (
    <div className={classes.trialRow}>
      <span title={t`on ${slot}`}>{key}</span>
      <div
        className={classes.streamLane}
        role="img"
        aria-label={t`${key} on ${slot}: ${start_s} s to ${end_s} s`}
      >
        <i style={{ left: percent(start_s), width: percent(Math.max(0, end_s - start_s)) }} />
      </div>
    </div>
  );
}

/** One trial: its phases, and under them when each stream runs and each perturbation acts. */
export function TrialTimeline({ plan }: { plan: DesignPlan }) {
  const total = plan.trial_s;
  if (!(total > 0)) return null;
  const percent = (seconds: number) => `${(100 * seconds) / total}%`;
  return (
    <div className={classes.trial}>
      <Phases plan={plan} percent={percent} />
      {plan.streams.map((stream) => (
        <StreamLane key={stream.key} stream={stream} percent={percent} />
      ))}
      {plan.perturbations.map((window) => (
        <PerturbationLane
          key={`${window.key} ${window.start_s} ${window.every_s} ${window.end_s}`}
          window={window}
          total={total}
          everyArm={window.arms.length === plan.arms}
        />
      ))}
    </div>
  );
}
