import { type ComponentProps, memo, useState } from 'react';
import {
  ComposedChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
} from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Moment } from '@/domain/notes';
import { IN_ORDER, PLOT_RIGHT, valueTicks } from '../axes';
import { ChartReader } from '../ChartReader';
import reader from '../ChartReader.module.css';
import { timeAxis, valueAxis } from '../plotAxes';
import { plotProps } from '../plotProps';
import { highestIn, type Line, rowAt } from './align';
import { ChartReadout } from './ChartReadout';
import { Curves } from './Curves';
import { MarkLayer, NoteLayer } from './MarkLayer';
import { type Readings, ReadingsContext, useReadings, useReadingsOf, useStops } from './readings';
import { rowWords } from './readingWords';

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

interface Props {
  domain: readonly [number, number];
  measureS: number;
}

/** Warm-up and cool-down, which are drawn but not counted. Recharts' own areas report themselves at every drawing. */
function OutsideWindow({ domain: [start, end], measureS }: Props) {
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

export interface CanvasProps {
  title: string;
  lines: Line[];
  /** What perturbations did meanwhile. */
  actions?: readonly ActionMark[];
  /** What people wrote of moments. */
  notes?: readonly Moment[];
  /** A click on the plot, or Enter: the seconds of the moment. */
  onMoment?: (t: number) => void;
  /** The moment whose values stay. */
  pinned?: number | null;
  unit: string;
  stacked: boolean;
  yMax: number | null;
  /** Seconds shown, relative to the start of the measured window. */
  domain: readonly [number, number];
  measureS: number;
  syncId: string;
  height: number;
  /** Where the values at the crosshair are shown. */
  readout: HTMLElement | null;
}

const NO_NOTES: readonly Moment[] = [];
const NO_ACTIONS: readonly ActionMark[] = [];
const CURSOR = { stroke: 'var(--chart-cursor)' } as const;
const PIN = { stroke: 'var(--active)', strokeWidth: 1.5 } as const;
const MARGIN = { top: 8, right: PLOT_RIGHT, bottom: 0, left: 0 } as const;

type ReadoutProps = Omit<ComponentProps<typeof ChartReadout>, 'row' | 'lines'> & {
  /** Where the crosshair is, as Recharts says it. */
  label?: string | number;
};

/** What the pointer reads. */
function PointerReadout({ label, ...props }: ReadoutProps) {
  const { rows, looks } = useReadings();
  return <ChartReadout row={rowAt(rows, Number(label))} lines={looks} {...props} />;
}

type PlotProps = Omit<CanvasProps, 'title' | 'lines' | 'yMax'> & {
  /** Where the axis of values ends. */
  top: number;
  stops: { t: number }[];
  actions: readonly ActionMark[];
  notes: readonly Moment[];
  /** The second that the keyboard reads. */
  readAt: number | undefined;
};

/**
 * The only place of a time chart that knows Recharts. It is given no readings: it is worked out anew when the axes or
 * what is on them changes, and only its curves with every reading and every trial.
 */
const Plot = memo(function Plot(props: PlotProps) {
  const { top, stops, actions, notes, readAt, domain, measureS, unit, stacked, readout } = props;
  const ticks = valueTicks(top, unit);
  return (
    <ResponsiveContainer
      width="100%"
      height={props.height}
      initialDimension={{ width: 480, height: props.height }}
    >
      <ComposedChart data={stops} margin={MARGIN} {...plotProps(props)}>
        <ValueGrid ticks={ticks} />
        <OutsideWindow domain={domain} measureS={measureS} />
        <Tooltip
          isAnimationActive={false}
          cursor={CURSOR}
          content={({ active, label }) =>
            active && <PointerReadout {...{ label, unit, actions, domain }} target={readout} />
          }
        />
        <MarkLayer actions={actions} domain={domain} />
        <Curves stacked={stacked} />
        {timeAxis(domain)}
        {valueAxis(unit, ticks, true)}
        {props.pinned != null && <ReferenceLine x={props.pinned} {...IN_ORDER} {...PIN} />}
        {readAt !== undefined && <ReferenceLine x={readAt} {...IN_ORDER} {...CURSOR} />}
        <NoteLayer notes={notes} domain={domain} />
      </ComposedChart>
    </ResponsiveContainer>
  );
});

/** The plot, which the pointer and the keyboard read. */
export const TimeChartCanvas = memo(function TimeChartCanvas({
  title,
  lines,
  readout,
  yMax,
  ...props
}: CanvasProps) {
  const { notes = NO_NOTES, unit, domain, stacked, onMoment } = props;
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
        <Plot
          {...props}
          {...{ stops, actions, notes, readout, top }}
          pinned={pinned?.t ?? null}
          readAt={row?.t}
        />
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
