import { memo, useMemo } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line as CurveLine,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Moment } from '@/domain/notes';
import { formatOffset, formatTick } from '@/lib/format';
import { PLOT_RIGHT, X_AXIS, Y_AXIS } from '../axes';
import { MarkLayer } from '../marks/MarkLayer';
import { NoteLayer } from '../marks/NoteLayer';
import { valueTicks } from '../valueTicks';
import { alignLines, highestIn, type Line, type Look, type Row, rowsWithin } from './align';
import { ChartReadout } from './ChartReadout';
import { timeTicks } from './timeTicks';
import { useLooks } from './useLooks';

export interface CanvasProps {
  lines: Line[];
  /** What perturbations did meanwhile. */
  actions?: readonly ActionMark[];
  /** What people wrote of moments. */
  notes?: readonly Moment[];
  /** A click on the plot: the seconds of the moment. */
  onMoment?: (t: number) => void;
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
const CLICKABLE = { cursor: 'pointer' } as const;
const NO_ACTIONS: readonly ActionMark[] = [];
const CURSOR = { stroke: 'var(--chart-cursor)' } as const;
const GRID = <CartesianGrid stroke="var(--chart-grid)" vertical={false} />;
const MARGIN = { top: 8, right: PLOT_RIGHT, bottom: 0, left: 0 } as const;

function curve(line: Look, index: number, stacked: boolean) {
  const common = {
    dataKey: (row: Row) => row.values[index] ?? null,
    name: line.label,
    stroke: line.color,
    isAnimationActive: false,
    connectNulls: false,
    dot: false,
    activeDot: line.faint ? false : { r: 3, strokeWidth: 0 },
    type: 'linear' as const,
  };
  if (stacked)
    return (
      <Area
        key={line.id}
        {...common}
        stackId="stack"
        fill={line.color}
        fillOpacity={line.faint ? 0.2 : 0.55}
        strokeOpacity={line.faint ? 0.45 : 1}
        strokeWidth={1}
      />
    );
  return (
    <CurveLine
      key={line.id}
      {...common}
      strokeWidth={line.faint ? 1.25 : 2}
      strokeOpacity={line.faint ? 0.45 : 1}
      strokeDasharray={line.dash}
    />
  );
}

type Domain = CanvasProps['domain'];

function timeAxis(domain: Domain) {
  return (
    <XAxis
      key="time"
      dataKey="t"
      type="number"
      domain={[domain[0], domain[1]]}
      allowDataOverflow
      ticks={timeTicks(domain)}
      tickFormatter={formatOffset}
      {...X_AXIS}
      minTickGap={24}
    />
  );
}

function valueAxis(unit: string, top: number) {
  return (
    <YAxis
      key="value"
      domain={[0, top]}
      ticks={valueTicks(top, unit)}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}

const OUTSIDE_WINDOW = { fill: 'var(--chart-outside)', stroke: 'none', ifOverflow: 'hidden' } as const;

/** Warm-up and cool-down, which are drawn but not counted. */
function outsideWindow([start, end]: Domain, measureS: number) {
  return [
    start < 0 && <ReferenceArea key="warm-up" x1={start} x2={Math.min(0, end)} {...OUTSIDE_WINDOW} />,
    end > measureS && (
      <ReferenceArea key="cool-down" x1={Math.max(measureS, start)} x2={end} {...OUTSIDE_WINDOW} />
    ),
  ];
}

type Fixed = Omit<CanvasProps, 'lines' | 'height' | 'syncId' | 'yMax'> & {
  looks: Look[];
  top: number;
  actions: readonly ActionMark[];
};

/**
 * Everything of a chart but its readings. The elements stay the same while more readings come, so that only the curves
 * are drawn anew: each element that a chart is given anew makes it work out all of its parts.
 */
function useFixedParts({ looks, actions, unit, stacked, top, domain, measureS, readout }: Fixed) {
  const axes = useMemo(
    () => [timeAxis(domain), valueAxis(unit, top), ...outsideWindow(domain, measureS)],
    [domain, unit, top, measureS],
  );
  const tooltip = useMemo(
    () => (
      <Tooltip
        isAnimationActive={false}
        filterNull={false}
        cursor={CURSOR}
        content={({ active, payload }) => (
          <ChartReadout
            row={active ? (payload?.[0]?.payload as Row | undefined) : undefined}
            lines={looks}
            unit={unit}
            actions={actions}
            domain={domain}
            target={readout}
          />
        )}
      />
    ),
    [looks, unit, actions, domain, readout],
  );
  const curves = useMemo(
    () =>
      looks
        .map((look, index) => ({ look, index }))
        .sort((a, b) => Number(b.look.faint ?? false) - Number(a.look.faint ?? false)) // context lies behind
        .map(({ look, index }) => curve(look, index, stacked)),
    [looks, stacked],
  );
  return { axes, tooltip, curves };
}

/** Where the axis of values ends: at a round number, so that it stands still while readings come. */
function topOf({ unit, stacked, yMax }: CanvasProps, rows: readonly Row[]): number {
  return valueTicks(yMax ?? highestIn(rows, stacked), unit).at(-1) ?? 1;
}

/** The only place of a time chart that knows Recharts. */
export const TimeChartCanvas = memo(function TimeChartCanvas(props: CanvasProps) {
  const { lines, actions = NO_ACTIONS, notes = NO_NOTES, onMoment, domain, syncId, height } = props;
  const all = useMemo(() => alignLines(lines), [lines]);
  const rows = useMemo(() => rowsWithin(all, domain), [all, domain]);
  const top = topOf(props, rows);
  const { axes, tooltip, curves } = useFixedParts({ ...props, looks: useLooks(lines), actions, top });
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <ComposedChart
        data={rows}
        margin={MARGIN}
        syncId={syncId}
        syncMethod="value"
        accessibilityLayer={false}
        style={onMoment && CLICKABLE}
        onClick={
          onMoment && (({ activeLabel }) => activeLabel !== undefined && onMoment(Number(activeLabel)))
        }
      >
        {GRID}
        {axes}
        {tooltip}
        <MarkLayer actions={actions} domain={domain} />
        {curves}
        <NoteLayer notes={notes} domain={domain} />
      </ComposedChart>
    </ResponsiveContainer>
  );
});
