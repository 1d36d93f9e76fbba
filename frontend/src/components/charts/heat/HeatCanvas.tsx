import { memo, type PointerEvent, useMemo } from 'react';
import { Line, usePlotArea, useXAxisScale, YAxis } from 'recharts';
import type { ActionMark } from '@/api/generated';
import { AXIS_TEXT, IN_ORDER, Y_AXIS } from '../axes';
import { heatColor } from '../palette';
import { MarkLayer } from '../time/MarkLayer';
import { OverTimePlot, type OverTimeProps } from '../time/OverTimePlot';
import { type Cell, type Edges, endsOf, type Heat, LEVELS, levelPaths, ticksOf } from './heat';
import classes from './heat.module.css';

const SWATCH = 10;
const CHARACTER_PX = 6.4;
const LEVEL_NUMBERS = Array.from({ length: LEVELS }, (_, level) => level);

/** Where zero has no colour, even the weakest stands out from the ground: a single slow request is to be seen. */
function colorOf({ isLogarithmic }: Heat, level: number): string {
  const skipped = isLogarithmic ? 3 : 0;
  return heatColor(level + skipped, LEVELS + skipped);
}

/** From the weakest to the strongest colour, with their values: a part of the picture, so that it is saved with it. */
function Scale({ heat, unit, right }: { heat: Heat; unit: string; right: number }) {
  const [low, high] = endsOf(heat, unit);
  const x = right - high.length * CHARACTER_PX - 8 - LEVELS * SWATCH;
  return (
    <g>
      <text x={x - 5} y={12} textAnchor="end" {...AXIS_TEXT}>
        {low}
      </text>
      {LEVEL_NUMBERS.map((level) => (
        <rect
          key={level}
          x={x + level * SWATCH}
          y={4}
          width={SWATCH}
          height={9}
          fill={colorOf(heat, level)}
        />
      ))}
      <text x={right} y={12} textAnchor="end" {...AXIS_TEXT}>
        {high}
      </text>
    </g>
  );
}

/** The edges of cells in whole pixels: without seams between colours. */
function useEdges(
  heat: Heat,
): (Edges & { area: { x: number; y: number; width: number; height: number } }) | null {
  const scale = useXAxisScale();
  const area = usePlotArea();
  if (!scale || !area) return null;
  const [first = 0] = heat.times;
  const clamped = (x: number) => Math.round(Math.min(area.x + area.width, Math.max(area.x, x)));
  return {
    area,
    left: (column) => clamped(Number(scale(first + (column - 0.5) * heat.step) ?? 0)),
    upper: (row) => Math.round(area.y + (area.height * row) / heat.rows.length),
  };
}

function cellAt(
  event: PointerEvent<SVGRectElement>,
  heat: Heat,
  [start, end]: OverTimeProps['domain'],
): Cell | null {
  const box = event.currentTarget.getBoundingClientRect();
  const t = start + ((event.clientX - box.left) / box.width) * (end - start);
  const column = Math.round((t - (heat.times[0] ?? 0)) / heat.step);
  const row = Math.floor(((event.clientY - box.top) / box.height) * heat.rows.length);
  const isInside = column >= 0 && column < heat.times.length && row >= 0 && row < heat.rows.length;
  return isInside ? { row, column } : null;
}

/** Not drawn anew while the pointer moves over them. */
const Cells = memo(function Cells({ heat }: { heat: Heat }) {
  const edges = useEdges(heat);
  if (!edges) return null;
  return levelPaths(heat, edges).map(
    (path, level) =>
      path && (
        <path key={colorOf(heat, level)} d={path} fill={colorOf(heat, level)} shapeRendering="crispEdges" />
      ),
  );
});

/** Dark on light, so that it can be seen on any colour. */
function Frame({ path, isDashed = false }: { path: string; isDashed?: boolean }) {
  return (
    <>
      <path className={classes.ground} d={path} />
      <path className={classes.frame} data-dashed={isDashed || undefined} d={path} />
    </>
  );
}

function HeatLayer({ heat, unit, domain, measureS, cell, onCell }: HeatCanvasProps) {
  const edges = useEdges(heat);
  const scale = useXAxisScale();
  if (!edges || !scale) return null;
  const { area, left, upper } = edges;
  const ends = [0, measureS].filter((t) => t > domain[0] && t < domain[1]);
  const around = ({ row, column }: Cell) =>
    `M${left(column)} ${upper(row)}H${left(column + 1)}V${upper(row + 1)}H${left(column)}z`;
  return (
    <g>
      <Cells heat={heat} />
      {ends.map((t) => (
        <Frame key={t} path={`M${Number(scale(t))} ${area.y}v${area.height}`} isDashed />
      ))}
      {cell && <Frame path={around(cell)} />}
      <Scale heat={heat} unit={unit} right={area.x + area.width} />
      <rect
        {...area}
        fill="transparent"
        onPointerMove={(event) => onCell(cellAt(event, heat, domain))}
        onPointerLeave={() => onCell(null)}
      />
    </g>
  );
}

export interface HeatCanvasProps extends OverTimeProps {
  heat: Heat;
  unit: string;
  actions: readonly ActionMark[];
  cell: Cell | null;
  onCell: (cell: Cell | null) => void;
}

const TOP_PX = 20;
const TIME_AXIS_PX = 30;
const nothing = () => null;

/** Recharts follows the pointer along the data of a line: this one is not seen. */
const FOLLOWED = (
  <Line
    dataKey={() => 0}
    stroke="none"
    dot={false}
    activeDot={false}
    isAnimationActive={false}
    {...IN_ORDER}
  />
);

function rowAxis(heat: Heat, height: number) {
  const ticks = ticksOf(heat, height - TOP_PX - TIME_AXIS_PX);
  return (
    <YAxis
      type="number"
      domain={[0, heat.rows.length]}
      reversed
      allowDataOverflow
      ticks={ticks.map(({ at }) => at)}
      tickFormatter={(at: number) => ticks.find((tick) => tick.at === at)?.text ?? ''}
      interval={0}
      {...Y_AXIS}
      tickLine={false}
    />
  );
}

/** The only place of a heat map that knows Recharts, with {@link HeatLayer}. */
export const HeatCanvas = memo(function HeatCanvas(props: HeatCanvasProps) {
  const { heat, actions, domain, height } = props;
  const stops = useMemo(() => heat.times.map((t) => ({ t })), [heat]);
  const rows = useMemo(() => rowAxis(heat, height), [heat, height]);
  return (
    <OverTimePlot {...props} stops={stops} top={TOP_PX} readout={nothing}>
      {rows}
      {FOLLOWED}
      <HeatLayer {...props} />
      <MarkLayer actions={actions} domain={domain} />
    </OverTimePlot>
  );
});
