import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { Line, ReferenceLine, usePlotArea, XAxis } from 'recharts';
import { formatNumber, formatTick, formatValue } from '@/lib/format';
import { AXIS_TEXT, valueTicks, X_AXIS } from '../axes';
import { LinePlot, meansLine, type Reading } from '../LinePlot';
import { valueAxis } from '../plotAxes';
import classes from './edgeMarks.module.css';
import {
  type AxisMark,
  type EdgeMark,
  highestOf,
  type LevelLine,
  type LevelRow,
  levelRows,
  placeAxisMarks,
  xDomain,
  xTicks,
} from './levelLines';

export interface LevelLinesProps {
  lines: readonly LevelLine[];
  marks: readonly AxisMark[];
  xTitle: string;
  xUnit: string;
  unit: string;
  height: number;
}

const MARGIN = { top: 16, right: 18, bottom: 14, left: 0 } as const;

function readAt(row: LevelRow, { lines, unit, xTitle, xUnit }: LevelLinesProps): Reading {
  const entries = lines.flatMap(({ label, color, dash }, index) => {
    const mean = row.means[index];
    return mean == null ? [] : [{ label, color, dash, value: formatValue(mean, unit) }];
  });
  return { title: [xTitle, formatNumber(row.x), xUnit].filter(Boolean).join(' '), entries };
}

/** Dots at the means, with whiskers over the single trials; joined by a line where no regression is drawn. */
function means(line: LevelLine, index: number) {
  return meansLine<LevelRow>(line.label, {
    line,
    width: line.regression ? 0 : 2,
    at: ({ means, ranges }) => {
      const [mean, [low, high] = [null, null]] = [means[index], ranges[index] ?? undefined];
      return mean == null ? null : { mean, low, high };
    },
  });
}

function fit({ label, color, regression }: LevelLine, index: number) {
  return regression ? (
    <Line
      key={`${label} fit`}
      dataKey={(row: LevelRow) => row.fits[index] ?? null}
      stroke={color}
      strokeWidth={1.5}
      dot={false}
      activeDot={false}
      connectNulls
      isAnimationActive={false}
    />
  ) : null;
}

/** A line at a value worth knowing; its name stands on the side with more room, `middle` being half way across. */
function referenceLine({ axis, at, label, simulated }: AxisMark, middle: number) {
  const isRight = axis === 'x' && at > middle;
  return (
    <ReferenceLine
      key={`${axis} ${at} ${label}`}
      {...{ [axis]: at }}
      stroke="var(--mark)"
      strokeDasharray={simulated ? '5 4' : undefined}
      ifOverflow="extendDomain"
      label={{
        value: label,
        position: isRight ? 'insideTopRight' : 'insideTopLeft',
        fontSize: 11,
        fill: 'var(--text)',
      }}
    />
  );
}

function levelAxis(rows: readonly LevelRow[], domain: [number, number], title: string, unit: string) {
  return (
    <XAxis
      dataKey="x"
      type="number"
      domain={domain}
      ticks={xTicks(rows)}
      minTickGap={18}
      tickFormatter={(x: number) => formatTick(x, unit === 'bytes' ? 'bytes' : '')}
      {...X_AXIS}
      label={{
        value: unit ? `${title}, ${unit}` : title,
        position: 'insideBottom',
        offset: -10,
        ...AXIS_TEXT,
      }}
    />
  );
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
function EdgeMarks({ marks, unit, xUnit }: { marks: readonly EdgeMark[]; unit: string; xUnit: string }) {
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

function usePlotted({ lines, marks, unit }: LevelLinesProps) {
  return useMemo(() => {
    const rows = levelRows(lines);
    const { within, beyond } = placeAxisMarks(rows, marks);
    const [domain, ticks] = [xDomain(rows, within), valueTicks(highestOf(rows, within), unit)];
    return { rows, within, beyond, domain, ticks };
  }, [lines, marks, unit]);
}

/** The only place of a chart over levels that knows Recharts, with {@link LinePlot}. */
export function LevelLinesCanvas(props: LevelLinesProps) {
  const { lines, xTitle, xUnit, unit, height } = props;
  const { rows, within, beyond, domain, ticks } = usePlotted(props);
  return (
    <LinePlot
      rows={rows}
      height={height}
      margin={MARGIN}
      readAt={(row) => readAt(row, props)}
      keys={{ label: t`By ${xTitle}`, placeOf: ({ x }) => x }}
    >
      {levelAxis(rows, domain, xTitle, xUnit)}
      {valueAxis(unit, ticks)}
      {within.map((mark) => referenceLine(mark, (domain[0] + domain[1]) / 2))}
      {lines.map(means)}
      {lines.map(fit)}
      <EdgeMarks marks={beyond} unit={unit} xUnit={xUnit} />
    </LinePlot>
  );
}
