import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { DesignPlan, PerturbationWindow } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';

const phases = () =>
  [
    { name: t`warm-up`, key: 'warmup_s' },
    { name: t({ message: 'measure', context: 'phase' }), key: 'measure_s' },
    { name: t`cool-down`, key: 'cooldown_s' },
  ] as const;

/** Seconds as a share of the trial. */
type Percent = (seconds: number) => string;

function Phases({ plan, percent }: { plan: DesignPlan; percent: Percent }) {
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

interface LaneProps {
  name: string;
  title: string;
  /** What is drawn, in words. */
  label: string;
  kind?: 'perturbation';
  children: ReactNode;
}

function Lane({ name, title, label, kind, children }: LaneProps) {
  return (
    <div className={classes.trialRow}>
      <span title={title}>{name}</span>
      <div
        className={classes.streamLane}
        data-kind={kind}
        role="img"
        aria-label={label}
        title={kind && label}
      >
        {children}
      </div>
    </div>
  );
}

/** One trial: its phases, and under them when each stream runs and each perturbation acts. */
export function TrialTimeline({ plan }: { plan: DesignPlan }) {
  if (!(plan.trial_s > 0)) return null;
  const percent: Percent = (seconds) => `${(100 * seconds) / plan.trial_s}%`;
  return (
    <div className={classes.trial}>
      <Phases plan={plan} percent={percent} />
      {plan.streams.map(({ key, slot, start_s, end_s }) => (
        <Lane
          key={key}
          name={key}
          title={t`on ${slot}`}
          label={t`${key} on ${slot}: ${start_s} s to ${end_s} s`}
        >
          <i style={{ left: percent(start_s), width: percent(Math.max(0, end_s - start_s)) }} />
        </Lane>
      ))}
      {plan.perturbations.map((window) => {
        const text = describe(window, window.arms.length === plan.arms);
        const { key, start_s, every_s, end_s } = window;
        return (
          <Lane
            key={`${key} ${start_s} ${every_s} ${end_s}`}
            name={key}
            title={text}
            label={text}
            kind="perturbation"
          >
            <Acts window={window} percent={percent} />
          </Lane>
        );
      })}
    </div>
  );
}

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

/** More ticks than this melt into one another: then the span is drawn. */
const MAX_TICKS = 60;

/** When a perturbation acts: a tick for an instant, a bar for an interval. */
function Acts({ window, percent }: { window: PerturbationWindow; percent: Percent }) {
  const { start_s, end_s, every_s, actions } = window;
  if (every_s !== null && actions <= MAX_TICKS)
    return Array.from({ length: actions }, (_, index) => start_s + index * every_s).map((at) => (
      <i key={at} data-tick style={{ left: percent(at) }} />
    ));
  if (end_s <= start_s) return <i data-tick style={{ left: percent(start_s) }} />;
  return (
    <i
      data-dense={every_s !== null || undefined}
      style={{ left: percent(start_s), width: percent(end_s - start_s) }}
    />
  );
}
