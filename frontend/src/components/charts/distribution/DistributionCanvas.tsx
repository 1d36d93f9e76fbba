import { useMemo } from 'react';
import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatMicroseconds } from '@/lib/format';
import classes from '../legend.module.css';
import tooltip from '../tooltip.module.css';
import {
  alignDistributions,
  type DistributionLine,
  type DistributionRow,
  fractionOf,
  logTicks,
  ninesOf,
  percentileText,
} from './distribution';

const PERCENTILES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999];
const AXIS = { fontSize: 11, fill: 'var(--chart-axis)' } as const;

function Values({ row, lines }: { row: DistributionRow | undefined; lines: readonly DistributionLine[] }) {
  if (!row) return null;
  return (
    <div className={tooltip.tooltip}>
      <div className={tooltip.tooltipTime}>within {formatMicroseconds(row.value_ms * 1000)}</div>
      {lines.map(({ label, color }, index) => {
        const nines = row.nines[index];
        return (
          <div key={label} className={tooltip.tooltipEntry}>
            <span className={classes.swatch} style={{ background: color }} />
            <span className={tooltip.tooltipLabel}>{label}</span>
            <span className={tooltip.tooltipValue}>
              {nines == null ? '100 %' : percentileText(fractionOf(nines))}
            </span>
          </div>
        );
      })}
    </div>
  );
}

export function DistributionCanvas({
  lines,
  height,
}: {
  lines: readonly DistributionLine[];
  height: number;
}) {
  const rows = useMemo(() => alignDistributions(lines), [lines]);
  const top = Math.max(2, ...rows.flatMap((row) => row.nines.map((value) => value ?? 0)));
  const xTicks = useMemo(() => logTicks(rows[0]?.value_ms ?? 1, rows.at(-1)?.value_ms ?? 1), [rows]);
  const ticks = PERCENTILES.map(ninesOf).filter((tick) => tick <= top + 0.2);
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 640, height }}>
      <LineChart data={rows} margin={{ top: 8, right: 12, bottom: 4, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid stroke="var(--chart-grid)" />
        <XAxis
          dataKey="value_ms"
          type="number"
          scale="log"
          domain={['dataMin', 'dataMax']}
          ticks={xTicks}
          tickFormatter={(value: number) => formatMicroseconds(value * 1000)}
          tick={AXIS}
          stroke="var(--chart-grid)"
          tickLine={false}
          minTickGap={28}
        />
        <YAxis
          domain={[0, top]}
          ticks={ticks}
          tickFormatter={(value: number) => percentileText(fractionOf(value))}
          tick={AXIS}
          stroke="none"
          width={64}
          allowDataOverflow
        />
        <Tooltip
          isAnimationActive={false}
          filterNull={false}
          cursor={{ stroke: 'var(--chart-cursor)' }}
          content={({ active, payload }) => (
            <Values
              row={active ? (payload?.[0]?.payload as DistributionRow | undefined) : undefined}
              lines={lines}
            />
          )}
        />
        {lines.map((line, index) => (
          <Line
            key={line.label}
            name={line.label}
            dataKey={(row: DistributionRow) => row.nines[index] ?? null}
            stroke={line.color}
            strokeDasharray={line.dash}
            strokeWidth={2}
            dot={false}
            type="linear"
            connectNulls={false}
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    </ResponsiveContainer>
  );
}
