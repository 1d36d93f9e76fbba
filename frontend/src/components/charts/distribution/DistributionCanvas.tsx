import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { Line, XAxis, YAxis } from 'recharts';
import { formatMicroseconds } from '@/lib/format';
import { X_AXIS, Y_AXIS } from '../axes';
import { LinePlot, type Reading } from '../LinePlot';
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
const MARGIN = { top: 8, right: 12, bottom: 4, left: 0 } as const;

interface Props {
  lines: readonly DistributionLine[];
  height: number;
}

/** Which share of each line's responses was done within `row`'s time. */
function readAt(row: DistributionRow, lines: readonly DistributionLine[]): Reading {
  const entries = lines.map(({ label, color, dash }, index) => {
    const nines = row.nines[index];
    return { label, color, dash, value: nines == null ? '100 %' : percentileText(fractionOf(nines)) };
  });
  const time = formatMicroseconds(row.value_ms * 1000);
  return { title: t`within ${time}`, entries };
}

function curve({ label, color, dash }: DistributionLine, index: number) {
  return (
    <Line
      key={label}
      name={label}
      dataKey={(row: DistributionRow) => row.nines[index] ?? null}
      stroke={color}
      strokeDasharray={dash}
      strokeWidth={2}
      dot={false}
      isAnimationActive={false}
    />
  );
}

function timeAxis(rows: readonly DistributionRow[]) {
  return (
    <XAxis
      dataKey="value_ms"
      type="number"
      scale="log"
      domain={['dataMin', 'dataMax']}
      ticks={logTicks(rows[0]?.value_ms ?? 1, rows.at(-1)?.value_ms ?? 1)}
      tickFormatter={(value: number) => formatMicroseconds(value * 1000)}
      {...X_AXIS}
      minTickGap={28}
    />
  );
}

function percentileAxis(rows: readonly DistributionRow[]) {
  const top = Math.max(2, ...rows.flatMap((row) => row.nines.map((value) => value ?? 0)));
  return (
    <YAxis
      domain={[0, top]}
      ticks={PERCENTILES.map(ninesOf).filter((tick) => tick <= top + 0.2)}
      tickFormatter={(value: number) => percentileText(fractionOf(value))}
      {...Y_AXIS}
      allowDataOverflow
    />
  );
}

export function DistributionCanvas({ lines, height }: Props) {
  const rows = useMemo(() => alignDistributions(lines), [lines]);
  return (
    <LinePlot
      rows={rows}
      height={height}
      margin={MARGIN}
      isGrid
      readAt={(row) => readAt(row, lines)}
      keys={{ label: t`Distribution of latency`, placeOf: ({ value_ms }) => value_ms }}
    >
      {timeAxis(rows)}
      {percentileAxis(rows)}
      {lines.map(curve)}
    </LinePlot>
  );
}
