import { t } from '@lingui/core/macro';
import { Anchor, Progress } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { RunDetail, TrialState } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { isOver, isPaused } from '@/domain/runs';
import { nameOfState } from '@/domain/states';
import { armLabel, placeOf } from '@/domain/trials';
import { formatDuration, formatMicroseconds } from '@/lib/format';
import { formatFinish } from '@/lib/time';
import { useNow } from '@/lib/useNow';
import classes from './RunProgress.module.css';
import { useLastNews, useReadingDelay } from './serverClock';

/** The server's clock, ticking here: a browser's own may be minutes off. Milliseconds. */
function useServerNow(run: RunDetail, now: number): number {
  const offset = useMemo(() => Date.parse(run.server_time) - Date.now(), [run.server_time]);
  return now + offset;
}

const phases = (): Partial<Record<TrialState, string>> => ({
  dispatched: t`sending to the host`,
  preparing: t`starting nginx`,
  ready: t`nginx is ready`,
  warmup: t`warm-up`,
  measuring: t`measuring`,
  finishing: t`cool-down`,
});

function idle(run: RunDetail): string {
  if (isPaused(run)) return nameOfState('paused');
  if (run.state === 'queued') return t`waiting to start`;
  const { trials_done, trials_total } = run.progress;
  if (run.state === 'running' && trials_done < trials_total) return t`between trials`;
  const isJudged = run.headline !== null || !['running', 'completed'].includes(run.state);
  return isJudged ? nameOfState(run.state) : t`all trials done, computing the report`;
}

function secondsUntil(iso: string | null, now: number): number | null {
  return iso ? Math.max(0, Math.round((Date.parse(iso) - now) / 1000)) : null;
}

/** The phase of the trial under way, or the reason why there is none. */
function Phase({ run, now }: { run: RunDetail; now: number }) {
  const { phase, phase_ends_at, arm } = run.progress;
  if (!phase || !arm) return <b>{idle(run)}</b>;
  const left = secondsUntil(phase_ends_at, now);
  const name = armLabel(run.arms, arm);
  const { block, heat } = run.progress;
  const { blocks } = run.plan;
  const inPlan =
    heat || block === null ? placeOf({ heat, block: block ?? 1, profile: block === null }) : null;
  const place = inPlan ?? t`block ${block ?? ''} of ${blocks}`;
  const duration = formatDuration(left);
  return (
    <>
      <b>{phases()[phase] ?? nameOfState(phase)}</b>
      <span className={classes.where}>
        <span className={classes.arm} title={name}>
          {name}
        </span>
        <span>{t`, ${place}`}</span>
      </span>
      {left !== null && <span className={classes.left}>{t`${duration} left`}</span>}
    </>
  );
}

/** Why the run does not go on, its place in the queue, and the run that is in its way. */
function WaitingFor({ waiting_for, queue_place, held_by }: RunDetail['progress']) {
  return (
    <span>
      {queue_place !== null && <b>{t`Place ${queue_place} in the queue.`} </b>}
      {waiting_for && <ServerText text={waiting_for} />}{' '}
      {held_by && (
        <Anchor component={Link} to={`/runs/${held_by}`} inherit underline="always">
          {t`Open that run`}
        </Anchor>
      )}
    </span>
  );
}

/** Readings come once a second, or as often as the plan says; several that are missing are worth a word. */
const SILENCE_MS = 5000;
const READINGS_MISSED = 3;

/** Phases in which hosts send readings. */
const READ: ReadonlySet<string | null> = new Set<TrialState>(['warmup', 'measuring']);

interface DelayProps {
  run: RunDetail;
  /** Milliseconds of this browser's clock. */
  now: number;
  /** How long the phase has gone on after its end was due, in milliseconds. */
  overdue: number;
}

/** The age of readings when they appear, so that nobody takes a slow link for a slow server; or that nothing came. */
function Delay({ run, now, overdue }: DelayProps) {
  const delay = useReadingDelay(run.id);
  const [openedAt] = useState(now);
  const silence = now - Math.max(openedAt, useLastNews(run.id) ?? now);
  const most = Math.max(SILENCE_MS, READINGS_MISSED * run.plan.interval_ms);
  if ((READ.has(run.progress.phase) || overdue >= most) && silence >= most) {
    const duration = formatDuration(Math.floor(silence / 1000));
    return (
      <>
        <span aria-hidden className={classes.silence}>{t`no news for ${duration}`}</span>
        <span role="status" className="visually-hidden">{t`Nothing is heard of the run.`}</span>
      </>
    );
  }
  if (delay === undefined) return <span />; // its place
  const duration = formatMicroseconds(delay * 1000);
  return (
    <span
      title={t`Readings are on screen after ${duration}: from the host to here, the median of the latest.`}
    >
      {t({ message: 'live', context: 'readings' })}
    </span>
  );
}

function Left({ seconds }: { seconds: number }) {
  const duration = formatDuration(seconds);
  const end = formatFinish(new Date(Date.now() + seconds * 1000));
  return <span>{t`${duration} left, ends about ${end}`}</span>;
}

/** The run's present step, and the time that is left. */
export function RunProgress({ run }: { run: RunDetail }) {
  const { progress, state } = run;
  const running = (state === 'running' || state === 'queued') && !isPaused(run);
  const ownNow = useNow(1000, running);
  const now = useServerNow(run, ownNow);
  const left = secondsUntil(progress.ends_at, now);
  const { trials_done: done, trials_total: total, phase_ends_at: due } = progress;
  return (
    <div className={classes.progress} aria-live="off">
      <div className={classes.now}>
        <Phase run={run} now={now} />
      </div>
      {!isOver(run) && (
        <Progress
          size={4}
          transitionDuration={0}
          radius="xl"
          color={running ? 'var(--active)' : 'gray'}
          value={progress.fraction * 100}
          aria-label={t`${done} of ${total} trials done`}
        />
      )}
      <div className={classes.progressFacts}>
        <span>{t`${done} of ${total} trials`}</span>
        {running && left !== null && <Left seconds={left} />}
        {state === 'running' && running && (
          <Delay run={run} now={ownNow} overdue={due ? now - Date.parse(due) : 0} />
        )}
        {progress.waiting_for && <WaitingFor {...progress} />}
      </div>
    </div>
  );
}
