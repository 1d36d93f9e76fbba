import { t } from '@lingui/core/macro';
import type { DesignPlan, PerturbationWindow } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';

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

/** More ticks than this melt into one another: then the span is drawn. */
const MAX_TICKS = 60;

function acts({ action, start_s, end_s, every_s, actions }: PerturbationWindow): string {
  if (every_s !== null) {
    const interval = formatDuration(every_s);
    return t`${action} every ${interval}, ${actions} times`;
  }
  const duration = formatDuration(end_s - start_s);
  const time = formatDuration(start_s);
  return end_s > start_s ? t`${action} for ${duration}` : t`${action} at ${time}`;
}

function describe(window: PerturbationWindow, everyArm: boolean): string {
  const { key, slot } = window;
  const [action, arms] = [acts(window), window.arms.join(', ')];
  return everyArm ? t`${key}: ${action} on ${slot}` : t`${key}: ${action} on ${slot}, only in ${arms}`;
}

interface Props {
  window: PerturbationWindow;
  /** Seconds of the whole trial. */
  total: number;
  everyArm: boolean;
}

/** When one perturbation acts: a tick for an instant, a bar for an interval. */
function PerturbationLane({ window, total, everyArm }: Props) {
  const { key, start_s, end_s, every_s, actions } = window;
  const percent = (seconds: number) => `${(100 * seconds) / total}%`;
  const text = describe(window, everyArm);
  const isTicks = every_s !== null && actions <= MAX_TICKS;
  const ticks = isTicks
    ? Array.from({ length: actions }, (_, index) => start_s + index * every_s)
    : [start_s];
  const isBar = !isTicks && end_s > start_s;
  return (
    <div className={classes.trialRow}>
      <span title={text}>{key}</span>
      <div className={classes.streamLane} data-kind="perturbation" role="img" aria-label={text} title={text}>
        {isBar ? (
          <i
            data-dense={every_s !== null || undefined}
            style={{ left: percent(start_s), width: percent(end_s - start_s) }}
          />
        ) : (
          ticks.map((at) => <i key={at} data-tick style={{ left: percent(at) }} />)
        )}
      </div>
    </div>
  );
}
