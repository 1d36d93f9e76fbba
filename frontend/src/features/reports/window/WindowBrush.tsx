import { t } from '@lingui/core/macro';
import type { ChosenWindow } from '@/api/generated';
import { useDrag } from './useDrag';
import { type Bounds, formatWindow } from './window';
import classes from './window.module.css';

export interface RateLine {
  key: string;
  color: string;
  points: readonly (readonly [number, number | null])[];
}

interface Props {
  lines: readonly RateLine[];
  bounds: Bounds;
  window: ChosenWindow;
  /** `null` for a reader, who cannot choose. */
  onChange: ((window: ChosenWindow) => void) | null;
}

const WIDTH = 1000;
const HEIGHT = 120;

function scales(lines: readonly RateLine[], { earliest, latest }: Bounds) {
  const top = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, value]) => value ?? 0)));
  const x = (seconds: number) => ((seconds - earliest) / (latest - earliest)) * WIDTH;
  const y = (value: number) => HEIGHT - (value / top) * (HEIGHT - 8);
  const path = ({ points }: RateLine) =>
    points
      .filter(([seconds, value]) => value !== null && seconds >= earliest && seconds <= latest)
      .map(([seconds, value]) => `${x(seconds).toFixed(1)},${y(value ?? 0).toFixed(1)}`)
      .join(' ');
  return { x, path };
}

/** Requests/s over a trial's time. Dragging across it chooses a window; the fields beside it do the same. */
export function WindowBrush({ lines, bounds, window, onChange }: Props) {
  const drag = useDrag(bounds, onChange);
  const { x, path } = scales(lines, bounds);
  const shown = formatWindow(window);
  return (
    <svg
      className={classes.brush}
      data-editable={onChange !== null || undefined}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t`Requests/s over time; the window is ${shown}`}
      {...drag}
    >
      <rect
        x={x(window.start_s) || 0}
        width={Math.max(0, x(window.end_s) - x(window.start_s)) || 0}
        y={0}
        height={HEIGHT}
        className={classes.selected}
      />
      <line x1={x(0)} x2={x(0)} y1={0} y2={HEIGHT} className={classes.planned} />
      {lines.map((line) => (
        <polyline key={line.key} points={path(line)} stroke={line.color} className={classes.rate} />
      ))}
    </svg>
  );
}
