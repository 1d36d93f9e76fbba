import { useMemo } from 'react';
import {
  CartesianGrid,
  ComposedChart,
  ErrorBar,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { formatNumber, formatTick, formatValue } from '@/lib/format';
import classes from '../legend.module.css';
import tooltip from '../tooltip.module.css';
import { type AxisMark, type LevelLine, type LevelRow, levelRows, xDomain, xTicks } from './levelLines';

export interface LevelLinesProps {
  lines: readonly LevelLine[];
  marks: readonly AxisMark[];
  xTitle: string;
  xUnit: string;
  unit: string;
  height: number;
}

const AXIS = { fontSize: 11, fill: 'var(--chart-axis)' } as const;

function Values({
  row,
  lines,
  unit,
  x,
}: {
  row: LevelRow;
  lines: readonly LevelLine[];
  unit: string;
  x: string;
}) {
  return (
    <div className={tooltip.tooltip}>
      <div className={tooltip.tooltipTime}>{x}</div>
      {lines.map(({ label, color }, index) =>
        row.means[index] == null ? null : (
          <div key={label} className={tooltip.tooltipEntry}>
            <span className={classes.swatch} style={{ background: color }} />
            <span className={tooltip.tooltipLabel}>{label}</span>
            <span className={tooltip.tooltipValue}>{formatValue(row.means[index], unit)}</span>
          </div>
        ),
      )}
    </div>
  );
}

/** Beside its line, on the side with more room. */
const markSide = (isRight: boolean) => (isRight ? ('insideTopRight' as const) : ('insideTopLeft' as const));

/** How far the single trials lie from their mean, for the whiskers. */
function spread(row: LevelRow, index: number): [number, number] | null {
  const [mean, range] = [row.means[index], row.ranges[index]];
  return mean == null || !range ? null : [mean - range[0], range[1] - mean];
}

/** The only place of a chart over levels that knows Recharts. */
export function LevelLinesCanvas({ lines, marks, xTitle, xUnit, unit, height }: LevelLinesProps) {
  const rows = useMemo(() => levelRows(lines), [lines]);
  const [low, high] = useMemo(() => xDomain(rows, marks), [rows, marks]);
  const named = (x: number) => [xTitle, formatNumber(x), xUnit].filter(Boolean).join(' ');
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <ComposedChart
        data={rows}
        margin={{ top: 16, right: 18, bottom: 14, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid stroke="var(--chart-grid)" vertical={false} />
        <XAxis
          dataKey="x"
          type="number"
          domain={[low, high]}
          ticks={xTicks(rows)}
          minTickGap={18}
          tickFormatter={(x: number) => formatTick(x, xUnit === 'bytes' ? 'bytes' : '')}
          tick={AXIS}
          stroke="var(--chart-grid)"
          tickLine={false}
          label={{
            value: xUnit ? `${xTitle}, ${xUnit}` : xTitle,
            position: 'insideBottom',
            offset: -10,
            ...AXIS,
          }}
        />
        <YAxis
          domain={[0, 'auto']}
          tickFormatter={(value: number) => formatTick(value, unit)}
          tick={AXIS}
          stroke="none"
          width={64}
          tickCount={5}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--chart-cursor)' }}
          content={({ active, payload }) => {
            const row = active ? (payload?.[0]?.payload as LevelRow | undefined) : undefined;
            return row ? <Values row={row} lines={lines} unit={unit} x={named(row.x)} /> : null;
          }}
        />
        {marks.map(({ axis, at, label, simulated }) => (
          <ReferenceLine
            key={`${axis} ${at} ${label}`}
            {...{ [axis]: at }}
            stroke="var(--mark)"
            strokeDasharray={simulated ? '5 4' : undefined}
            ifOverflow="extendDomain"
            label={{
              value: label,
              position: markSide(axis === 'x' && at > (low + high) / 2),
              fontSize: 11,
              fill: 'var(--text)',
            }}
          />
        ))}
        {lines.map(({ label, color, dash }, index) => (
          <Line
            key={label}
            name={label}
            dataKey={(row: LevelRow) => row.means[index] ?? null}
            stroke={color}
            strokeDasharray={dash}
            strokeWidth={lines[index]?.regression ? 0 : 2}
            dot={{ r: 3, fill: color, strokeWidth: 0 }}
            connectNulls
            isAnimationActive={false}
          >
            <ErrorBar
              dataKey={(row: LevelRow) => spread(row, index)}
              direction="y"
              width={5}
              stroke={color}
              strokeWidth={1.25}
              isAnimationActive={false}
            />
          </Line>
        ))}
        {lines.map(({ label, color, regression }, index) =>
          regression ? (
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
          ) : null,
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}
