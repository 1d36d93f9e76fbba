import { memo, useMemo } from 'react';
import { ComposedChart, Line, ReferenceLine, ResponsiveContainer, Tooltip, YAxis } from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Moment } from '@/domain/notes';
import { IN_ORDER, PLOT_RIGHT, Y_AXIS } from '../axes';
import { MarkLayer } from '../marks/MarkLayer';
import { NoteLayer } from '../marks/NoteLayer';
import { plotProps } from '../plotProps';
import { timeAxis } from '../time/axes/timeAxes';
import { HeatLayer } from './HeatLayer';
import { type Heat, ticksOf } from './heat';
import type { Cell } from './heatWords';

export interface HeatCanvasProps {
  heat: Heat;
  unit: string;
  actions: readonly ActionMark[];
  notes: readonly Moment[];
  /** A click on the plot: the seconds of the moment. */
  onMoment?: (t: number) => void;
  /** The moment that is pinned. */
  pinned: number | null;
  /** Seconds shown, relative to the start of the measured window. */
  domain: readonly [number, number];
  measureS: number;
  syncId: string;
  height: number;
  cell: Cell | null;
  onCell: (cell: Cell | null) => void;
}

/** As wide as those of time charts, so that instants lie below each other; above the plot is the scale of colours. */
const MARGIN = { top: 20, right: PLOT_RIGHT, bottom: 0, left: 0 } as const;
const TIME_AXIS_PX = 30;
const CURSOR = { stroke: 'var(--chart-cursor)' } as const;
const nothing = () => null;

/** Recharts follows the pointer along the data of a line: this one is not seen. */
const FOLLOWED = (
  <Line
    dataKey={() => 0}
    stroke="none"
    dot={false}
    activeDot={false}
    isAnimationActive={false}
    legendType="none"
    {...IN_ORDER}
  />
);

function axes({ heat, domain, height }: Pick<HeatCanvasProps, 'heat' | 'domain' | 'height'>) {
  const ticks = ticksOf(heat, height - MARGIN.top - TIME_AXIS_PX);
  return [
    timeAxis(domain),
    <YAxis
      key="rows"
      type="number"
      domain={[0, heat.rows.length]}
      reversed
      allowDataOverflow
      ticks={ticks.map(({ at }) => at)}
      tickFormatter={(at: number) => ticks.find((tick) => tick.at === at)?.text ?? ''}
      interval={0}
      {...Y_AXIS}
      tickLine={false}
    />,
  ];
}

/** The only place of a heat map that knows Recharts, with {@link HeatLayer}. */
export const HeatCanvas = memo(function HeatCanvas(props: HeatCanvasProps) {
  const { heat, unit, actions, notes, onMoment, pinned, domain, measureS, syncId, height, cell, onCell } =
    props;
  const rows = useMemo(() => heat.times.map((t) => ({ t })), [heat]);
  const fixed = useMemo(() => axes({ heat, domain, height }), [heat, domain, height]);
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <ComposedChart data={rows} margin={MARGIN} {...plotProps({ syncId, onMoment, domain, stops: rows })}>
        {fixed}
        <Tooltip isAnimationActive={false} cursor={CURSOR} content={nothing} />
        {FOLLOWED}
        <HeatLayer {...{ heat, unit, domain, measureS, cell, onCell }} />
        {pinned !== null && (
          <ReferenceLine x={pinned} stroke="var(--active)" strokeWidth={1.5} {...IN_ORDER} />
        )}
        <MarkLayer actions={actions} domain={domain} />
        <NoteLayer notes={notes} domain={domain} />
      </ComposedChart>
    </ResponsiveContainer>
  );
});
