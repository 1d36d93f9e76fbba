import { memo, useMemo, useState } from 'react';
import {
  CartesianGrid,
  ComposedChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Moment } from '@/domain/notes';
import { formatOffset, formatTick } from '@/lib/format';
import { X_AXIS, Y_AXIS } from '../axes';
import { MarkLayer } from '../marks/MarkLayer';
import { NoteLayer } from '../marks/NoteLayer';
import { ChartReader } from '../reader/ChartReader';
import reader from '../reader/reader.module.css';
import { rowWords } from '../reader/words';
import { alignLines, type Line, type Look, type Row } from './align';
import { ChartReadout } from './ChartReadout';
import { curve } from './curve';
import { timeTicks } from './timeTicks';
import { useLooks } from './useLooks';

export interface CanvasProps {
  title: string;
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
const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 } as const;

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

function valueAxis(unit: string, max: number | null) {
  return (
    <YAxis
      key="value"
      domain={[0, max ?? 'auto']}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
      tickCount={4}
    />
  );
}

const OUTSIDE_WINDOW = { fill: 'var(--chart-outside)', stroke: 'none', ifOverflow: 'hidden' } as const;

/** Warm-up and cool-down, which are drawn but not counted. */
function outsideWindow([start, end]: Domain, measureS: number) {
  return [
    start < 0 && <ReferenceArea key="warm-up" x1={start} x2={0} {...OUTSIDE_WINDOW} />,
    end > measureS && <ReferenceArea key="cool-down" x1={measureS} x2={end} {...OUTSIDE_WINDOW} />,
  ];
}

type Fixed = Omit<CanvasProps, 'title' | 'lines' | 'notes' | 'height' | 'syncId'> & {
  looks: Look[];
  actions: readonly ActionMark[];
};

/**
 * Everything of a chart but its readings. The elements stay the same while more readings come, so that only the curves
 * are drawn anew: each element that a chart is given anew makes it work out all of its parts.
 */
function useFixedParts({ looks, actions, unit, stacked, yMax, domain, measureS, readout }: Fixed) {
  const axes = useMemo(
    () => [timeAxis(domain), valueAxis(unit, yMax), ...outsideWindow(domain, measureS)],
    [domain, unit, yMax, measureS],
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

type PlotProps = Fixed &
  Pick<CanvasProps, 'syncId' | 'height'> & {
    rows: readonly Row[];
    notes: readonly Moment[];
    /** What the keyboard reads. */
    row: Row | undefined;
  };

/** The only place of a time chart that knows Recharts. */
function Plot({ rows, row, syncId, height, notes, onMoment, ...fixed }: PlotProps) {
  const { axes, tooltip, curves } = useFixedParts(fixed);
  const { actions, domain } = fixed;
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
        {row && <ReferenceLine x={row.t} {...CURSOR} />}
        <NoteLayer notes={notes} domain={domain} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** The plot, which the pointer and the keyboard read. */
export const TimeChartCanvas = memo(function TimeChartCanvas({
  title,
  lines,
  readout,
  ...props
}: CanvasProps) {
  const { actions = NO_ACTIONS, notes = NO_NOTES, unit, domain } = props;
  const rows = useMemo(() => alignLines(lines), [lines]);
  const looks = useLooks(lines);
  const [read, setRead] = useState<number | null>(null);
  const row = read === null ? undefined : rows[read];
  return (
    <div className={reader.readable}>
      <Plot
        {...props}
        looks={looks}
        actions={actions}
        notes={notes}
        rows={rows}
        row={row}
        readout={readout}
      />
      <ChartReader
        label={title}
        count={rows.length}
        words={(index) => (rows[index] ? rowWords(rows[index], looks, unit) : '')}
        onRead={setRead}
      />
      <ChartReadout row={row} lines={looks} unit={unit} actions={actions} domain={domain} target={readout} />
    </div>
  );
});
