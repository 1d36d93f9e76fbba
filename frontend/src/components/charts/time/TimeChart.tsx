import { Skeleton } from '@mantine/core';
import { lazy, memo, type ReactNode, Suspense, useState } from 'react';
import type { ActionMark } from '@/api/generated';
import classes from '../frame.module.css';
import type { Line } from './align';
import { ChartLegend } from './ChartLegend';
import readoutClasses from './readout.module.css';
import { useFrameTurn } from './useFrameTurn';

const Canvas = lazy(() =>
  import('./TimeChartCanvas').then((module) => ({ default: module.TimeChartCanvas })),
);

export interface TimeChartProps {
  title: string;
  unit: string;
  description?: string;
  lines: Line[];
  /** What perturbations did meanwhile: marked behind the lines. */
  marks?: readonly ActionMark[];
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

/** The last reading of each line that the chart shows; later ones belong to the end of the trial. */
function latestValues(lines: readonly Line[], end: number): (number | null | undefined)[] {
  return lines.map((line) =>
    line.faint ? undefined : (line.points.findLast(([t]) => t <= end)?.[1] ?? null),
  );
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
  const [readout, setReadout] = useState<HTMLElement | null>(null);
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
      <div ref={setReadout} className={readoutClasses.legendBox}>
        <div className={readoutClasses.latest}>
          <ChartLegend
            lines={lines}
            unit={unit}
            actions={props.marks}
            values={showLatest ? latestValues(lines, props.domain[1]) : undefined}
          />
        </div>
      </div>
      <div className={classes.plot} style={{ height }}>
        {isEmpty ? (
          <div className={classes.empty}>{props.empty ?? 'No readings yet'}</div>
        ) : (
          <Suspense fallback={<Skeleton height={height - 24} mt={8} />}>
            <Canvas
              lines={lines}
              actions={props.marks}
              unit={unit}
              stacked={stacked}
              yMax={yMax}
              domain={props.domain}
              measureS={props.measureS}
              syncId={props.syncId}
              height={height}
              readout={readout}
            />
          </Suspense>
        )}
      </div>
    </figure>
  );
});
