import { useId, useMemo } from 'react';
import {
  useActiveTooltipLabel,
  useIsTooltipActive,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
} from 'recharts';
import { type Look, type Row, rowAt } from './align';
import { useReadings } from './readings';

/**
 * The edges of a stack, row by row, from zero up: one more than there are parts. A part without a reading has no
 * height; a row without any reading is a gap.
 */
export function stackOf(rows: readonly Row[]): (number | null)[][] {
  return rows.map(({ values }) => {
    if (values.every((value) => value === null)) return Array(values.length + 1).fill(null);
    const edges = [0];
    for (const value of values) edges.push((edges.at(-1) ?? 0) + (value ?? 0));
    return edges;
  });
}

/** A place on the page, in pixels; without `y`, nothing is known there. */
interface Place {
  x: number;
  y: number | null;
}

/** From place to place, a gap staying a gap. A place between two gaps is as long as a line is thick, to be seen. */
export function linePath(places: readonly Place[]): string {
  let path = '';
  let isOpen = false;
  for (const [index, { x, y }] of places.entries()) {
    if (y === null) {
      isOpen = false;
      continue;
    }
    const isAlone = !isOpen && (places[index + 1]?.y ?? null) === null;
    path += isAlone ? `M${x - 1} ${y}h2` : `${isOpen ? 'L' : 'M'}${x} ${y}`;
    isOpen = true;
  }
  return path;
}

/** What lies between two edges, which have their gaps at the same places. */
export function areaPath(upper: readonly Place[], lower: readonly Place[]): string {
  let path = '';
  let start = 0;
  for (let index = 0; index <= upper.length; index += 1) {
    if ((upper[index]?.y ?? null) !== null) continue;
    if (index > start) {
      const around = [...upper.slice(start, index), ...lower.slice(start, index).reverse()];
      path += `${linePath(around)}Z`;
    }
    start = index + 1;
  }
  return path;
}

interface Drawn {
  look: Look;
  index: number;
}

type Scale = (value: number) => number;

interface Scales {
  x: Scale;
  y: Scale;
}

/** To a tenth of a pixel: nobody sees more, and a curve is a long text of such numbers. */
const tenths = (pixels: unknown) => Math.round(Number(pixels) * 10) / 10;

/** Values to pixels, both ways; nothing until the chart knows its size. */
function useScales(): Scales | null {
  const [x, y] = [useXAxisScale(), useYAxisScale()];
  return useMemo(
    () => (x && y ? { x: (value) => tenths(x(value)), y: (value) => tenths(y(value)) } : null),
    [x, y],
  );
}

/** In the order of drawing: context lies behind. */
function inOrder(looks: readonly Look[]): Drawn[] {
  return looks
    .map((look, index) => ({ look, index }))
    .sort((a, b) => Number(b.look.faint ?? false) - Number(a.look.faint ?? false));
}

const placesOf = (rows: readonly Row[], { x, y }: Scales, valueIn: (row: number) => number | null) =>
  rows.map(({ t }, row) => {
    const value = valueIn(row);
    return { x: x(t), y: value === null ? null : y(value) };
  });

interface ShapeProps {
  drawn: readonly Drawn[];
  rows: readonly Row[];
  scales: Scales;
}

function Lines({ drawn, rows, scales }: ShapeProps) {
  return drawn.map(({ look, index }) => (
    <path
      key={look.id}
      className="recharts-curve recharts-line-curve"
      fill="none"
      stroke={look.color}
      strokeWidth={look.faint ? 1.25 : 2}
      strokeOpacity={look.faint ? 0.45 : 1}
      strokeDasharray={look.dash}
      d={linePath(placesOf(rows, scales, (row) => rows[row]?.values[index] ?? null))}
    />
  ));
}

function Stack({ drawn, rows, scales }: ShapeProps) {
  const levels = stackOf(rows);
  const edges = [...drawn, null].map((_, part) =>
    placesOf(rows, scales, (row) => levels[row]?.[part] ?? null),
  );
  return drawn.map(({ look, index }) => {
    const [lower = [], upper = []] = edges.slice(index, index + 2);
    return (
      <g key={look.id}>
        <path
          className="recharts-curve recharts-area-area"
          fill={look.color}
          fillOpacity={look.faint ? 0.2 : 0.55}
          stroke="none"
          d={areaPath(upper, lower)}
        />
        <path
          className="recharts-curve recharts-area-curve"
          fill="none"
          stroke={look.color}
          strokeOpacity={look.faint ? 0.45 : 1}
          d={linePath(upper)}
        />
      </g>
    );
  });
}

interface Props {
  stacked: boolean;
  scales: Scales;
}

/** All that a reading redraws. */
function Shapes({ stacked, scales }: Props) {
  const { rows, looks } = useReadings();
  const drawn = useMemo(() => inOrder(looks), [looks]);
  const Shape = stacked ? Stack : Lines;
  return <Shape drawn={drawn} rows={rows} scales={scales} />;
}

function DotsAt({ t, stacked, scales }: Props & { t: number }) {
  const { rows, looks } = useReadings();
  const row = rowAt(rows, t);
  if (!row) return null;
  const heights = stacked ? (stackOf([row])[0] ?? []).slice(1) : row.values;
  return looks.map((look, index) => {
    const height = heights[index] ?? null;
    if (look.faint || height === null) return null;
    return <circle key={look.id} cx={scales.x(row.t)} cy={scales.y(height)} r={3} fill={look.color} />;
  });
}

/** Where the crosshair is: a dot on each line of the subject. */
function Dots(props: Props) {
  const isActive = useIsTooltipActive();
  const label = useActiveTooltipLabel();
  return isActive && label !== undefined ? <DotsAt t={Number(label)} {...props} /> : null;
}

/**
 * The readings of a chart. Recharts' own lines make the whole chart work itself out with each reading, which costs a
 * page of live charts a tenth of a core; these are drawn alone, by its scales.
 */
export function Curves({ stacked }: { stacked: boolean }) {
  const scales = useScales();
  const area = usePlotArea();
  const clip = useId();
  if (!scales || !area) return null;
  return (
    <>
      <clipPath id={clip}>
        <rect x={area.x} y={0} width={area.width} height={area.y + area.height + 1} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        <Shapes stacked={stacked} scales={scales} />
        <Dots stacked={stacked} scales={scales} />
      </g>
    </>
  );
}
