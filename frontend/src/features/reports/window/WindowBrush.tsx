import { t } from '@lingui/core/macro';
import { type PointerEvent, useRef } from 'react';
import type { ChosenWindow } from '@/api/generated';
import { type Bounds, dragged, formatWindow } from './window';
import classes from './window.module.css';

/** Handlers that turn a drag across a chart from `earliest` to `latest` into a window; none without `onChange`. */
function useDrag({ earliest, latest }: Bounds, onChange: ((window: ChosenWindow) => void) | null) {
  const from = useRef<number | null>(null);
  if (onChange === null) return {};
  const at = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return earliest + ((event.clientX - box.left) / (box.width || 1)) * (latest - earliest);
  };
  const end = () => {
    from.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture?.(event.pointerId);
      from.current = at(event);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      if (from.current !== null) onChange(dragged(from.current, at(event), { earliest, latest }));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

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
