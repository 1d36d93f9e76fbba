import { useId, useMemo } from 'react';
import {
  Curve,
  DefaultZIndexes,
  useActiveTooltipLabel,
  useIsTooltipActive,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  ZIndexLayer,
} from 'recharts';
import { type Look, type Row, rowAt } from './align';
import { useReadings } from './readings';
import { stackOf } from './stack';

interface Drawn {
  look: Look;
  index: number;
}

type Scale = (value: number) => number;

/** To a tenth of a pixel: nobody sees more, and a curve is a long text of such numbers. */
const tenths = (pixels: unknown) => Math.round(Number(pixels) * 10) / 10;

/** Values to pixels, both ways; nothing until the chart knows its size. */
function useScales(): { x: Scale; y: Scale } | null {
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

interface LinesProps {
  drawn: readonly Drawn[];
  rows: readonly Row[];
  scales: { x: Scale; y: Scale };
}

function Lines({ drawn, rows, scales: { x, y } }: LinesProps) {
  return drawn.map(({ look, index }) => (
    <Curve
      key={look.id}
      className="recharts-line-curve"
      fill="none"
      stroke={look.color}
      strokeWidth={look.faint ? 1.25 : 2}
      strokeOpacity={look.faint ? 0.45 : 1}
      strokeDasharray={look.dash}
      points={rows.map(({ t, values }) => {
        const value = values[index] ?? null;
        return { x: x(t), y: value === null ? null : y(value) };
      })}
    />
  ));
}

function Stack({ drawn, rows, scales: { x, y } }: LinesProps) {
  const levels = useMemo(() => stackOf(rows), [rows]);
  const edge = (part: number) =>
    rows.map(({ t }, row) => {
      const level = levels[row]?.[part] ?? null;
      return { x: x(t), y: level === null ? null : y(level) };
    });
  return drawn.map(({ look, index }) => (
    <g key={look.id}>
      <Curve
        className="recharts-area-area"
        fill={look.color}
        fillOpacity={look.faint ? 0.2 : 0.55}
        stroke="none"
        points={edge(index + 1)}
        baseLine={edge(index)}
      />
      <Curve
        className="recharts-area-curve"
        fill="none"
        stroke={look.color}
        strokeOpacity={look.faint ? 0.45 : 1}
        points={edge(index + 1)}
      />
    </g>
  ));
}

/** Where the crosshair is: a dot on each line of the subject. */
function Dots({ drawn, rows, scales, stacked }: LinesProps & { stacked: boolean }) {
  const isActive = useIsTooltipActive();
  const label = useActiveTooltipLabel();
  const row = isActive && label !== undefined ? rowAt(rows, Number(label)) : undefined;
  if (!row) return null;
  const heights = stacked ? (stackOf([row])[0] ?? []).slice(1) : row.values;
  return drawn.map(({ look, index }) => {
    const height = heights[index] ?? null;
    if (look.faint || height === null) return null;
    return <circle key={look.id} cx={scales.x(row.t)} cy={scales.y(height)} r={3} fill={look.color} />;
  });
}

/**
 * The readings of a chart. Recharts' own lines make the whole chart work itself out with each reading, which costs a
 * page of live charts a tenth of a core; these are drawn alone, by its scales and with its curves.
 */
export function Curves({ stacked }: { stacked: boolean }) {
  const { rows, looks } = useReadings();
  const scales = useScales();
  const area = usePlotArea();
  const clip = useId();
  const drawn = useMemo(() => inOrder(looks), [looks]);
  if (!scales || !area) return null;
  const Shape = stacked ? Stack : Lines;
  return (
    <ZIndexLayer zIndex={stacked ? DefaultZIndexes.area + 1 : DefaultZIndexes.line}>
      <clipPath id={clip}>
        <rect x={area.x} y={0} width={area.width} height={area.y + area.height + 1} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        <Shape drawn={drawn} rows={rows} scales={scales} />
        <Dots drawn={drawn} rows={rows} scales={scales} stacked={stacked} />
      </g>
    </ZIndexLayer>
  );
}
