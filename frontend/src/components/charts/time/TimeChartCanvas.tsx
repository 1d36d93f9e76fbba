import { memo, useMemo, useState } from 'react';
import { CartesianGrid, ComposedChart, ReferenceLine, ResponsiveContainer, Tooltip } from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Moment } from '@/domain/notes';
import { PLOT_RIGHT } from '../axes';
import { MarkLayer } from '../marks/MarkLayer';
import { NoteLayer } from '../marks/NoteLayer';
import { plotProps } from '../plotProps';
import { ChartReader } from '../reader/ChartReader';
import reader from '../reader/reader.module.css';
import { rowWords } from '../reader/words';
import { valueTicks } from '../valueTicks';
import { alignLines, highestIn, type Line, type Look, type Row, rowAt, rowsWithin } from './align';
import { ChartReadout } from './ChartReadout';
import { curve } from './curve';
import { outsideWindow, timeAxis, valueAxis } from './timeAxes';
import { useLooks } from './useLooks';

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
const GRID = <CartesianGrid stroke="var(--chart-grid)" vertical={false} />;
const MARGIN = { top: 8, right: PLOT_RIGHT, bottom: 0, left: 0 } as const;

type Fixed = Omit<CanvasProps, 'title' | 'lines' | 'notes' | 'height' | 'syncId' | 'yMax' | 'pinned'> & {
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
function topOf(
  { unit, stacked, yMax }: Pick<CanvasProps, 'unit' | 'stacked' | 'yMax'>,
  rows: readonly Row[],
): number {
  return valueTicks(yMax ?? highestIn(rows, stacked), unit).at(-1) ?? 1;
}

type PlotProps = Fixed &
  Pick<CanvasProps, 'syncId' | 'height'> & {
    rows: readonly Row[];
    notes: readonly Moment[];
    /** What the keyboard reads. */
    row: Row | undefined;
    pinned: Row | undefined;
  };

/** The only place of a time chart that knows Recharts. */
function Plot({ rows, row, pinned, syncId, height, notes, onMoment, ...fixed }: PlotProps) {
  const { axes, tooltip, curves } = useFixedParts(fixed);
  const { actions, domain } = fixed;
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <ComposedChart data={rows} margin={MARGIN} {...plotProps(syncId, onMoment)}>
        {GRID}
        {axes}
        {tooltip}
        <MarkLayer actions={actions} domain={domain} />
        {curves}
        {pinned && <ReferenceLine x={pinned.t} {...PIN} />}
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
  const { actions = NO_ACTIONS, notes = NO_NOTES, unit, domain, onMoment } = props;
  const all = useMemo(() => alignLines(lines), [lines]);
  const rows = useMemo(() => rowsWithin(all, domain), [all, domain]);
  const looks = useLooks(lines);
  const [read, setRead] = useState<number | null>(null);
  const row = read === null ? undefined : rows[read];
  const pinned = props.pinned == null ? undefined : rowAt(rows, props.pinned);
  const said = { lines: looks, unit, actions, domain, target: readout };
  const words = (index: number) => (rows[index] ? rowWords(rows[index], looks, unit) : '');
  const choose = (index: number) => rows[index] && onMoment?.(rows[index].t);
  return (
    <div className={reader.readable}>
      <Plot {...props} {...{ looks, actions, notes, rows, row, pinned, readout }} top={topOf(props, rows)} />
      <ChartReader
        label={title}
        count={rows.length}
        words={words}
        onRead={setRead}
        onChoose={onMoment && choose}
      />
      <ChartReadout row={row} {...said} />
      <ChartReadout row={pinned} {...said} isPinned />
    </div>
  );
});
