import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { formatDuration, formatNumber } from '@/lib/format';
import { useDraft, useValue } from '../../designerContext';
import { Note } from '../../fields/Section';
import { lengthOf, type RatePoint, rateProfile, requestsOf } from '../../model/draft/rateProfile';
import type { DraftOpenLoop, DraftStream } from '../../model/draft/streamDraft';
import classes from './RateSketch.module.css';

const WIDTH = 480;
const HEIGHT = 56;

function outline(points: readonly RatePoint[], end_s: number, top: number): string {
  return points
    .map(
      ({ t_s, per_s }) => `${((t_s / end_s) * WIDTH).toFixed(1)},${(HEIGHT * (1 - per_s / top)).toFixed(1)}`,
    )
    .join(' ');
}

interface Props {
  /** Where the stream is. */
  path: string;
  /** Where its rates are. */
  rates: string;
}

/** The planned rate over the stream's time, with the part that comes before the measured window shaded. */
export function RateSketch({ path, rates }: Props) {
  const stream = useValue<DraftStream>(path);
  const openLoop = useValue<DraftOpenLoop | null>(rates);
  const plan = useDraft((draft) => draft.plan);
  const end_s = lengthOf(stream, plan);
  const points = useMemo(() => (openLoop && end_s ? rateProfile(openLoop, end_s) : null), [openLoop, end_s]);
  if (!points || !end_s) return <Note>{t`The rate depends on the arm or is incomplete.`}</Note>;
  const highest = Math.max(...points.map(({ per_s }) => per_s));
  const most = formatNumber(highest);
  const line = outline(points, end_s, Math.max(1, highest) * 1.08);
  /** The share of the time that lies before the measured window. */
  const before = Math.max(0, Number(plan.warmup_s) - Number(stream.start_offset_s)) / end_s;
  const requests = formatNumber(Math.round(requestsOf(points)));
  const duration = formatDuration(end_s);
  const label = t`Planned rate: ${requests} requests in ${duration}, at most ${most} per second`;
  return (
    <figure className={classes.sketch}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <rect
          x={0}
          y={0}
          width={WIDTH * Math.min(1, before)}
          height={HEIGHT}
          className={classes.sketchWarmup}
        />
        <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} className={classes.sketchArea} />
        <polyline points={line} className={classes.sketchLine} vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption>
        <span>{t`up to ${most} per s`}</span>
        <span>{t`${requests} requests in ${duration}`}</span>
      </figcaption>
    </figure>
  );
}
