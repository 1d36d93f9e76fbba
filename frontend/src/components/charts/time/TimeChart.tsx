import { t } from '@lingui/core/macro';
import { memo, type ReactNode, useCallback, useMemo, useState } from 'react';
import type { ActionMark } from '@/api/generated';
import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import type { Moment } from '@/domain/notes';
import { Caption, chartName } from '../ChartFrame';
import classes from '../frame.module.css';
import type { Line } from './align';
import { ChartLegend } from './ChartLegend';
import { useOnMoment, usePinned } from './pin';
import { RangeDrag } from './range/RangeDrag';
import { useTimeRange } from './range/timeRange';
import { rangeWords } from './readingWords';
import readoutClasses from './readout.module.css';

/** Lines without those that a reader has hidden, by the names that the legend gives; and how one hides or shows them. */
function useHiddenLines(lines: Line[]) {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const onToggle = useCallback(
    (label: string) =>
      setHidden((old) => (old.includes(label) ? old.filter((one) => one !== label) : [...old, label])),
    [],
  );
  const shown = useMemo(
    () => (hidden.length > 0 ? lines.filter(({ label }) => !hidden.includes(label)) : lines),
    [lines, hidden],
  );
  // Without its only line, a chart shows nothing.
  return { shown, hidden, onToggle: lines.length > 1 ? onToggle : undefined };
}

const Canvas = lazyPart(() => import('./TimeChartCanvas').then(({ TimeChartCanvas }) => TimeChartCanvas));

export interface OverTimeChart {
  title: string;
  unit: string;
  description?: string;
  /** What perturbations did meanwhile: marked behind the lines. */
  marks?: readonly ActionMark[];
  /** What people wrote of moments: flags that lead to the notes. */
  notes?: readonly Moment[];
  /** Writes on a moment, by its seconds. */
  onMoment?: (t: number) => void;
  domain: readonly [number, number];
  measureS: number;
  /** Charts of one page share it, and with it the crosshair. */
  syncId: string;
  empty?: ReactNode;
  actions?: ReactNode;
}

export interface TimeChartProps extends OverTimeChart {
  /** By which an address can name it. */
  id?: string;
  lines: Line[];
  stacked?: boolean;
  yMax?: number | null;
  height?: number;
  /** Off in reports, where a last value says nothing. */
  showLatest?: boolean;
}

/** What a plot over time shows now: the range that the page has, and its pinned moment. */
export function useShown({ marks, notes, onMoment, measureS, syncId, ...chart }: OverTimeChart) {
  const domain = useTimeRange()?.range ?? chart.domain;
  const pinned = usePinned(domain);
  return { actions: marks, notes, onMoment: useOnMoment(onMoment), measureS, syncId, domain, pinned };
}

/** The last reading of each line that the chart shows; later ones belong to the end of the trial. */
function latestValues(lines: readonly Line[], end: number): (number | null | undefined)[] {
  return lines.map((line) =>
    line.faint ? undefined : (line.points.findLast(([t]) => t <= end)?.[1] ?? null),
  );
}

interface PlotProps {
  chart: TimeChartProps;
  lines: Line[];
  height: number;
  readout: HTMLElement | null;
}

function Plot({ chart, ...drawn }: PlotProps) {
  const { title, unit, stacked = false, yMax = null } = chart;
  const shown = useShown(chart);
  return (
    <WhenNear height={drawn.height}>
      <RangeDrag domain={shown.domain}>
        <Canvas {...shown} {...drawn} {...{ title, unit, stacked, yMax }} />
      </RangeDrag>
    </WhenNear>
  );
}

/** One chart over the time of a trial, with title, legend and a crosshair shared by the page. */
export const TimeChart = memo(function TimeChart(props: TimeChartProps) {
  const { title, unit, lines, height = 168, showLatest = true } = props;
  const { shown, ...toggling } = useHiddenLines(lines);
  const isEmpty = lines.every((line) => line.points.length === 0);
  const [readout, setReadout] = useState<HTMLElement | null>(null);
  return (
    <figure id={props.id} className={classes.figure} aria-label={chartName(title, unit)}>
      <Caption title={title} unit={unit} description={props.description} actions={props.actions} />
      <div ref={setReadout} className={readoutClasses.legendBox}>
        <div className={readoutClasses.latest}>
          <ChartLegend
            lines={lines}
            unit={unit}
            actions={props.marks}
            notes={props.notes}
            values={showLatest ? latestValues(lines, props.domain[1]) : undefined}
            {...toggling}
          />
        </div>
      </div>
      {!showLatest && <p className="visually-hidden">{rangeWords(lines, unit)}</p>}
      <div className={classes.plot} style={{ height }}>
        {isEmpty ? (
          <div className={classes.empty}>{props.empty ?? t`No readings yet`}</div>
        ) : (
          <Plot chart={props} lines={shown} height={height} readout={readout} />
        )}
      </div>
    </figure>
  );
});
