import { Progress } from '@mantine/core';
import type { RunDetail, TrialState } from '@/api/generated';
import { isPaused } from '@/domain/runs';
import { armLabel } from '@/domain/trials';
import { formatDuration } from '@/lib/format';
import { formatFinish } from '@/lib/time';
import classes from './RunProgress.module.css';
import { useServerNow } from './useServerNow';

const PHASES: Partial<Record<TrialState, string>> = {
  dispatched: 'handing to the host',
  preparing: 'starting nginx',
  ready: 'nginx answers',
  warmup: 'warm-up',
  measuring: 'measuring',
  finishing: 'cool-down',
};

const IDLE: Partial<Record<RunDetail['state'], string>> = {
  queued: 'waiting to start',
  running: 'between trials',
};

function secondsUntil(iso: string | null, now: number): number | null {
  return iso ? Math.max(0, Math.round((Date.parse(iso) - now) / 1000)) : null;
}

/** What happens now, and how long it still takes. */
export function RunProgress({ run }: { run: RunDetail }) {
  const { progress, state } = run;
  const running = (state === 'running' || state === 'queued') && !isPaused(run);
  const now = useServerNow(run, running);
  const phaseLeft = secondsUntil(progress.phase_ends_at, now);
  const left = secondsUntil(progress.ends_at, now);
  return (
    <div className={classes.progress} aria-live="off">
      <div className={classes.now}>
        {progress.phase && progress.arm ? (
          <>
            <b>{PHASES[progress.phase] ?? progress.phase}</b>
            <span>
              {armLabel(run.arms, progress.arm)}, block {progress.block} of {run.plan.blocks}
            </span>
            {phaseLeft !== null && <span className={classes.left}>{formatDuration(phaseLeft)} left</span>}
          </>
        ) : (
          <b>{isPaused(run) ? 'paused' : (IDLE[state] ?? state)}</b>
        )}
      </div>
      <Progress
        size={4}
        radius="xl"
        color={running ? 'var(--active)' : 'gray'}
        value={progress.fraction * 100}
        aria-label={`${progress.trials_done} of ${progress.trials_total} trials done`}
      />
      <div className={classes.progressFacts}>
        <span>
          {progress.trials_done} of {progress.trials_total} trials
        </span>
        {running && left !== null && (
          <span>
            {formatDuration(left)} left, ends about {formatFinish(new Date(Date.now() + left * 1000))}
          </span>
        )}
        {progress.waiting_for && <span>{progress.waiting_for}</span>}
      </div>
    </div>
  );
}
