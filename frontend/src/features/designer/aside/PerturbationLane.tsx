import type { PerturbationWindow } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';

/** More ticks than this melt into one another: then the span is drawn. */
const MAX_TICKS = 60;

function describe({ action, start_s, end_s, every_s, actions }: PerturbationWindow): string {
  if (every_s !== null) return `${action} every ${formatDuration(every_s)}, ${actions} times`;
  if (end_s > start_s) return `${action} for ${formatDuration(end_s - start_s)}`;
  return `${action} at ${formatDuration(start_s)}`;
}

interface Props {
  window: PerturbationWindow;
  /** Seconds of the whole trial. */
  total: number;
  everyArm: boolean;
}

/** When one perturbation acts: a tick for an instant, a bar for an interval. */
export function PerturbationLane({ window, total, everyArm }: Props) {
  const { key, slot, start_s, end_s, every_s, actions, arms } = window;
  const percent = (seconds: number) => `${(100 * seconds) / total}%`;
  const where = everyArm ? '' : `, only in ${arms.join(', ')}`;
  const text = `${key}: ${describe(window)} on ${slot}${where}`;
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
