import { t } from '@lingui/core/macro';
import { memo, useState } from 'react';
import { createPortal } from 'react-dom';
import { ReferenceLine, usePlotArea, useXAxisScale, useYAxisScale } from 'recharts';
import type { ActionMark } from '@/api/generated';
import { describeAction } from '@/domain/actions';
import { formatOffset } from '@/lib/format';
import { IN_ORDER, valueTicks } from '../axes';
import { ChartReader } from '../ChartReader';
import reader from '../ChartReader.module.css';
import { valueAxis } from '../plotAxes';
import { highestIn, type Line, type Look, type Row, rowAt } from './align';
import { ChartLegend } from './ChartLegend';
import { Curves } from './Curves';
import { MarkLayer, marksAt } from './MarkLayer';
import { CURSOR, OverTimePlot, type OverTimeProps } from './OverTimePlot';
import { type Readings, ReadingsContext, useReadings, useReadingsOf, useStops } from './readings';
import { rowWords } from './readingWords';
import classes from './readout.module.css';

interface Axis {
  unit: string;
  stacked: boolean;
  /** Where the quantity ends by its nature. */
  yMax: number | null;
}

/**
 * Where the axis of values ends: at a round number, so that it stands still while readings come. It does not shrink
 * while the same lines are drawn over the same time: with each trial's first reading it would, and grow again, which
 * moves all that is drawn, and lets nobody compare a trial with the one before.
 */
function useTop({ rows, looks }: Readings, { unit, stacked, yMax }: Axis, domain: readonly number[]): number {
  const top = valueTicks(yMax ?? highestIn(rows, stacked), unit).at(-1) ?? 1;
  const of = `${domain} ${looks.map(({ label }) => label)}`;
  const [highest, setHighest] = useState({ top, of });
  const next = highest.of === of ? Math.max(highest.top, top) : top;
  if (highest.of !== of || highest.top !== next) setHighest({ top: next, of });
  return next;
}

/** A line at each tick of the axis of values. Recharts' own grid measures the words of both axes at every drawing. */
function ValueGrid({ ticks }: { ticks: readonly number[] }) {
  const scale = useYAxisScale();
  const area = usePlotArea();
  if (!scale || !area) return null;
  const lines = ticks.map((tick) => `M${area.x} ${Number(scale(tick) ?? 0)}h${area.width}`);
  return (
    <path className="recharts-cartesian-grid" d={lines.join('')} stroke="var(--chart-grid)" fill="none" />
  );
}

/** Warm-up and cool-down, which are drawn but not counted. Recharts' own areas report themselves at every drawing. */
function OutsideWindow({ domain: [start, end], measureS }: Pick<OverTimeProps, 'domain' | 'measureS'>) {
  const scale = useXAxisScale();
  const area = usePlotArea();
  if (!scale || !area) return null;
  const x = (t: number) => Number(scale(t) ?? 0);
  const parts = [
    { key: 'warm-up', from: start, to: Math.min(0, end) },
    { key: 'cool-down', from: Math.max(measureS, start), to: end },
  ];
  return parts
    .filter(({ from, to }) => from < to)
    .map(({ key, from, to }) => (
      <rect
        key={key}
        x={x(from)}
        y={area.y}
        width={x(to) - x(from)}
        height={area.height}
        fill="var(--chart-outside)"
        data-outside={key}
      />
    ));
}

export interface CanvasProps extends OverTimeProps {
  title: string;
  lines: Line[];
  unit: string;
  stacked: boolean;
  yMax: number | null;
  readout: HTMLElement | null;
}

const NO_ACTIONS: readonly ActionMark[] = [];
const TOP_PX = 8;
/** More marks than these at one instant are counted only. */
const MAX_MARKS = 2;

interface ReadoutProps {
  row: Row | undefined;
  lines: readonly Look[];
  unit: string;
  actions: readonly ActionMark[];
  domain: readonly [number, number];
  /** The chart's legend, in whose place the values at the crosshair are shown: a box would hide the curves. */
  target: HTMLElement | null;
  /** The row stays while the reader looks at other charts. */
  isPinned?: boolean;
}

function ChartReadout({ row, lines, unit, actions, domain, target, isPinned }: ReadoutProps) {
  if (!row || !target) return null;
  const marks = marksAt(actions, row.t, domain).map(describeAction);
  const happened = [
    ...marks.slice(0, MAX_MARKS),
    marks.length > MAX_MARKS ? `+${marks.length - MAX_MARKS}` : '',
  ];
  const time = formatOffset(row.t);
  const readout = (
    <div className={classes.readout} {...(isPinned ? { 'data-pinned': true } : { 'data-cursor': true })}>
      <ChartLegend lines={lines} unit={unit} values={row.values} />
      <span className={classes.readoutTime}>
        {isPinned ? t`pinned at ${time}` : t`at ${time}`}
        <span className={classes.happened}>{happened.filter(Boolean).map((text) => ` · ${text}`)}</span>
      </span>
    </div>
  );
  return createPortal(readout, target);
}

type PointerProps = Omit<ReadoutProps, 'row' | 'lines'> & {
  /** Where the crosshair is, as Recharts says it. */
  label?: string | number;
};

function PointerReadout({ label, ...props }: PointerProps) {
  const { rows, looks } = useReadings();
  return <ChartReadout row={rowAt(rows, Number(label))} lines={looks} {...props} />;
}

type PlotProps = Omit<CanvasProps, 'title' | 'lines' | 'yMax'> & {
  top: number;
  stops: { t: number }[];
  actions: readonly ActionMark[];
  readAt: number | undefined;
};

/**
 * The only place of a time chart that knows Recharts. It is given no readings: it is worked out anew when the axes or
 * what is on them changes, and only its curves with every reading and every trial.
 */
const Plot = memo(function Plot(props: PlotProps) {
  const { top, actions, readAt, domain, measureS, unit, stacked, readout: target } = props;
  const ticks = valueTicks(top, unit);
  return (
    <OverTimePlot
      {...props}
      top={TOP_PX}
      readout={({ active, label }) =>
        active && <PointerReadout {...{ label, unit, actions, domain, target }} />
      }
    >
      <ValueGrid ticks={ticks} />
      <OutsideWindow domain={domain} measureS={measureS} />
      <MarkLayer actions={actions} domain={domain} />
      <Curves stacked={stacked} />
      {valueAxis(unit, ticks, true)}
      {readAt !== undefined && <ReferenceLine x={readAt} {...IN_ORDER} {...CURSOR} />}
    </OverTimePlot>
  );
});

export const TimeChartCanvas = memo(function TimeChartCanvas({
  title,
  lines,
  readout,
  yMax,
  ...props
}: CanvasProps) {
  const { unit, domain, stacked, onMoment } = props;
  // Where trials have none, each brings an empty list of its own.
  const actions = props.actions?.length ? props.actions : NO_ACTIONS;
  const readings = useReadingsOf(lines, domain);
  const { rows, looks } = readings;
  const stops = useStops(rows, domain);
  const top = useTop(readings, { unit, stacked, yMax }, domain);
  const [read, setRead] = useState<number | null>(null);
  const row = read === null ? undefined : rows[read];
  const pinned = props.pinned == null ? undefined : rowAt(rows, props.pinned);
  const said = { lines: looks, unit, actions, domain, target: readout };
  const words = (index: number) => (rows[index] ? rowWords(rows[index], looks, unit) : '');
  const choose = (index: number) => rows[index] && onMoment?.(rows[index].t);
  return (
    <div className={reader.readable}>
      <ReadingsContext value={readings}>
        <Plot {...props} {...{ stops, actions, readout, top }} pinned={pinned?.t ?? null} readAt={row?.t} />
      </ReadingsContext>
      <ChartReader
        {...{ label: title, count: rows.length, words }}
        onRead={setRead}
        onChoose={onMoment && choose}
      />
      <ChartReadout row={row} {...said} />
      <ChartReadout row={pinned} {...said} isPinned />
    </div>
  );
});
