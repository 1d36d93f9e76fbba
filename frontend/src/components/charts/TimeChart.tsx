import { Skeleton } from '@mantine/core';
import { lazy, memo, type ReactNode, Suspense } from 'react';
import { formatReading } from '@/lib/format';
import type { Point } from '@/lib/series';
import type { Line } from './align';
import classes from './charts.module.css';
import { useFrameTurn } from './useFrameTurn';

const Canvas = lazy(() =>
  import('./TimeChartCanvas').then((module) => ({ default: module.TimeChartCanvas })),
);

export interface TimeChartProps {
  title: string;
  unit: string;
  description?: string;
  lines: Line[];
  stacked?: boolean;
  yMax?: number | null;
  domain: readonly [number, number];
  measureS: number;
  /** Charts of one page share it, and with it the crosshair. */
  syncId: string;
  height?: number;
  /** Said instead of an empty plot. */
  empty?: ReactNode;
  actions?: ReactNode;
  /** Off in reports, where a last value says nothing. */
  showLatest?: boolean;
}

const MAX_LEGEND = 8;

/** The last reading that the chart shows; later ones belong to the end of the trial. */
function latest(points: readonly Point[], end: number): number | null {
  return points.findLast(([t]) => t <= end)?.[1] ?? null;
}

/** One chart over the time of a trial, with title, legend and a crosshair shared by the page. */
export const TimeChart = memo(function TimeChart(props: TimeChartProps) {
  const {
    title,
    unit,
    description,
    stacked = false,
    yMax = null,
    height = 168,
    actions,
    showLatest = true,
  } = props;
  const lines = useFrameTurn(props.lines);
  const isEmpty = lines.every((line) => line.points.length === 0);
  return (
    <figure className={classes.figure} aria-label={`${title}${unit ? `, ${unit}` : ''}`}>
      <figcaption className={classes.caption}>
        <span className={classes.title} title={description}>
          {title}
        </span>
        <span className={classes.unit}>{unit}</span>
        <span className={classes.actions}>{actions}</span>
      </figcaption>
      <ul className={classes.legend}>
        {lines.slice(0, MAX_LEGEND).map((line) => (
          <li key={line.id} className={classes.legendEntry} data-faint={line.faint || undefined}>
            <span className={classes.swatch} style={{ background: line.color }} />
            {line.label}
            {showLatest && !line.faint && <b>{formatReading(latest(line.points, props.domain[1]), unit)}</b>}
          </li>
        ))}
        {lines.length > MAX_LEGEND && <li className={classes.legendEntry}>+{lines.length - MAX_LEGEND}</li>}
      </ul>
      <div className={classes.plot} style={{ height }}>
        {isEmpty ? (
          <div className={classes.empty}>{props.empty ?? 'No readings yet'}</div>
        ) : (
          <Suspense fallback={<Skeleton height={height - 24} mt={8} />}>
            <Canvas
              lines={lines}
              unit={unit}
              stacked={stacked}
              yMax={yMax}
              domain={props.domain}
              measureS={props.measureS}
              syncId={props.syncId}
              height={height}
            />
          </Suspense>
        )}
      </div>
    </figure>
  );
});
