import { t } from '@lingui/core/macro';
import type { PerturbationWindow } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';

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
export function PerturbationLane({ window, total, everyArm }: Props) {
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
