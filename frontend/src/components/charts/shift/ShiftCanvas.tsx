import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { ReferenceLine, XAxis, YAxis } from 'recharts';
import { X_AXIS, Y_AXIS } from '../axes';
import { bandArea, LinePlot, meansLine, type Reading } from '../LinePlot';
import { nameOf, type ShiftLine, type ShiftRow, shiftRows, shiftTicks, tickText } from './shift';

interface Props {
  lines: readonly ShiftLine[];
  height: number;
}

const MARGIN = { top: 8, right: 18, bottom: 4, left: 0 } as const;
const PAD = 0.25;

function readAt({ fraction, points }: ShiftRow, lines: readonly ShiftLine[]): Reading {
  const entries = lines.flatMap(({ label, color, dash }, index) => {
    const point = points[index];
    return point ? [{ label, color, dash, value: point.text }] : [];
  });
  return { title: nameOf(fraction), entries };
}

/** What is held at all percentiles together. */
const bandOf = (line: ShiftLine, index: number) =>
  bandArea<ShiftRow>(line, ({ points }) => {
    const { low = null, high = null } = points[index] ?? {};
    return low === null || high === null ? null : [low, high];
  });

const effectOf = (line: ShiftLine, index: number) =>
  meansLine<ShiftRow>(line.label, {
    line,
    width: 2,
    at: ({ points }) => {
      const point = points[index];
      return point ? { mean: point.ratio, low: null, high: null } : null;
    },
  });

function percentileAxis(rows: readonly ShiftRow[]) {
  return (
    <XAxis
      dataKey="place"
      type="number"
      domain={[-PAD, rows.length - 1 + PAD]}
      ticks={rows.map(({ place }) => place)}
      interval="equidistantPreserveStart"
      minTickGap={2}
      tickFormatter={(place: number) => nameOf(rows[place]?.fraction ?? 0)}
      {...X_AXIS}
    />
  );
}

function ratioAxis(ticks: readonly number[]) {
  return (
    <YAxis
      scale="log"
      domain={[ticks[0] ?? 0.5, ticks.at(-1) ?? 2]}
      ticks={[...ticks]}
      interval={0}
      tickFormatter={(ratio: number) => tickText(ratio, ticks)}
      allowDataOverflow
      {...Y_AXIS}
    />
  );
}

/** How much arms differ from the baseline at each percentile, by Recharts. */
export function ShiftCanvas({ lines, height }: Props) {
  const rows = useMemo(() => shiftRows(lines), [lines]);
  const ticks = useMemo(() => shiftTicks(lines), [lines]);
  return (
    <LinePlot
      rows={rows}
      height={height}
      margin={MARGIN}
      readAt={(row) => readAt(row, lines)}
      keys={{ label: t`Change of latency by percentile`, placeOf: ({ place }) => place }}
    >
      {percentileAxis(rows)}
      {ratioAxis(ticks)}
      <ReferenceLine y={1} stroke="var(--chart-axis)" />
      {lines.map(bandOf)}
      {lines.map(effectOf)}
    </LinePlot>
  );
}
