import type { DesignPlan } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';
import { PerturbationLane } from './PerturbationLane';

const PHASES = [
  { name: 'warm-up', key: 'warmup_s' },
  { name: 'measure', key: 'measure_s' },
  { name: 'cool-down', key: 'cooldown_s' },
] as const;

/** One trial: its phases, and under them when each stream runs and each perturbation acts. */
export function TrialTimeline({ plan }: { plan: DesignPlan }) {
  const total = plan.trial_s;
  if (!(total > 0)) return null;
  const percent = (seconds: number) => `${(100 * seconds) / total}%`;
  return (
    <div className={classes.trial}>
      <div className={classes.trialRow}>
        <span>one trial</span>
        <div className={classes.phases}>
          {PHASES.map(({ name, key }) =>
            plan[key] > 0 ? (
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
            ) : null,
          )}
        </div>
      </div>
      {plan.streams.map((stream) => (
        <div key={stream.key} className={classes.trialRow}>
          <span title={`on ${stream.slot}`}>{stream.key}</span>
          <div
            className={classes.streamLane}
            role="img"
            aria-label={`${stream.key} on ${stream.slot}: ${stream.start_s} s to ${stream.end_s} s`}
          >
            <i
              style={{
                left: percent(stream.start_s),
                width: percent(Math.max(0, stream.end_s - stream.start_s)),
              }}
            />
          </div>
        </div>
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
