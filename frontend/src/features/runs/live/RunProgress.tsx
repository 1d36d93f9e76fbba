import { Anchor, Progress } from '@mantine/core';
import { Link } from 'react-router';
import type { RunDetail, TrialState } from '@/api/generated';
import { isPaused } from '@/domain/runs';
import { armLabel } from '@/domain/trials';
import { formatDuration, formatMicroseconds } from '@/lib/format';
import { formatFinish } from '@/lib/time';
import { useReadingDelay } from './api/useReadingDelay';
import classes from './RunProgress.module.css';
import { useServerNow } from './useServerNow';

const PHASES: Partial<Record<TrialState, string>> = {
  dispatched: 'sending to the host',
  preparing: 'starting nginx',
  ready: 'nginx is ready',
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

/** What the trial under way is doing, or why none is. */
function Phase({ run, now }: { run: RunDetail; now: number }) {
  const { phase, phase_ends_at, arm, block } = run.progress;
  if (!phase || !arm) return <b>{isPaused(run) ? 'paused' : (IDLE[run.state] ?? run.state)}</b>;
  const left = secondsUntil(phase_ends_at, now);
  return (
    <>
      <b>{PHASES[phase] ?? phase}</b>
      <span>
        {armLabel(run.arms, arm)}, block {block} of {run.plan.blocks}
      </span>
      {left !== null && <span className={classes.left}>{formatDuration(left)} left</span>}
    </>
  );
}

/** Why the run does not go on, its place in the queue, and the run that is in its way. */
function WaitingFor({
  progress: { waiting_for, queue_place, held_by },
}: {
  progress: RunDetail['progress'];
}) {
  return (
    <span>
      {queue_place !== null && <b>Place {queue_place} in the queue. </b>}
      {waiting_for}{' '}
      {held_by && (
        <Anchor component={Link} to={`/runs/${held_by}`} inherit underline="always">
          Open that run
        </Anchor>
      )}
    </span>
  );
}

/** How old readings are when they appear, so that nobody takes a slow link for a slow server. */
function Delay({ runId }: { runId: string }) {
  const delay = useReadingDelay(runId);
  if (delay === undefined) return null;
  return (
    <span title="From the reading on the host to this screen: the median of the latest.">
      readings on screen after {formatMicroseconds(Math.max(1, Math.round(delay / 10)) * 10_000)}
    </span>
  );
}

/** What happens now, and how long it still takes. */
export function RunProgress({ run }: { run: RunDetail }) {
  const { progress, state } = run;
  const running = (state === 'running' || state === 'queued') && !isPaused(run);
  const now = useServerNow(run, running);
  const left = secondsUntil(progress.ends_at, now);
  return (
    <div className={classes.progress} aria-live="off">
      <div className={classes.now}>
        <Phase run={run} now={now} />
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
        {running && <Delay runId={run.id} />}
        {progress.waiting_for && <WaitingFor progress={progress} />}
      </div>
    </div>
  );
}
