import { usePlotArea } from 'recharts';
import { formatValue } from '@/lib/format';
import classes from './edgeMarks.module.css';
import type { EdgeMark } from './levelLines';

interface Props {
  marks: readonly EdgeMark[];
  unit: string;
  xUnit: string;
}

const SIGN = 5;
const ROW = 16;

/** Arrowheads, their tips at the origin. */
const HEADS = {
  x: { low: `M0 0l${SIGN * 1.6} ${-SIGN}v${2 * SIGN}z`, high: `M0 0l${-SIGN * 1.6} ${-SIGN}v${2 * SIGN}z` },
  y: { low: `M0 0l${-SIGN} ${-SIGN * 1.6}h${2 * SIGN}z`, high: `M0 0l${-SIGN} ${SIGN * 1.6}h${2 * SIGN}z` },
};

type Area = NonNullable<ReturnType<typeof usePlotArea>>;

/** The tip of an arrow, the `row`th of its axis: rightmost above the foot, topmost beside the axis of values. */
function tipOf({ axis, side }: EdgeMark, row: number, { x, y, width, height }: Area): [number, number] {
  if (axis === 'x') return [side === 'high' ? x + width : x, y + height - SIGN - 4 - row * ROW];
  return side === 'high' ? [x + SIGN + 4, y + row * ROW] : [x + SIGN + 4, y + height - row * ROW];
}

/** What lies far outside of what was measured: an arrow at the edge, with its name and value. */
export function EdgeMarks({ marks, unit, xUnit }: Props) {
  const area = usePlotArea();
  if (!area) return null;
  return marks.map((mark, index) => {
    const { axis, side, at, label } = mark;
    const row = marks.slice(0, index).filter((other) => other.axis === axis && other.side === side).length;
    const [x, y] = tipOf(mark, row, area);
    const isRight = axis === 'x' && side === 'high';
    const middle = axis === 'x' ? 0 : (side === 'high' ? 1 : -1) * SIGN * 0.8;
    return (
      <g key={`${axis} ${at} ${label}`} className={classes.mark} data-edge={`${axis} ${side}`}>
        <path d={HEADS[axis][side]} transform={`translate(${x} ${y})`} />
        <text x={isRight ? x - 12 : x + 12} y={y + middle} dy="0.35em" textAnchor={isRight ? 'end' : 'start'}>
          {label}: {formatValue(at, axis === 'x' ? xUnit : unit)}
        </text>
      </g>
    );
  });
}
