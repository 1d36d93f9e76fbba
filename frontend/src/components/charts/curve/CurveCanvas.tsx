import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { Line, ReferenceArea, ReferenceLine } from 'recharts';
import { formatNumber, formatValue } from '@/lib/format';
import { IN_ORDER, isByPowers, type Scales, ticksOfRates } from '../axes';
import { bandArea, LinePlot, meansLine, type Reading } from '../LinePlot';
import { rateAxis, scaledAxis } from '../plotAxes';
import { type CurveLine, type CurveRow, curveRows, dotText, type LoadUnit, valuesTicks } from './curve';

export interface CurveCanvasProps extends Scales {
  lines: readonly CurveLine[];
  height: number;
  /** What is drawn, for who reads it by keyboard. */
  name: string;
  /** What stands across. */
  loadUnit: LoadUnit;
  /** Whether it has knees, and against rates a line that shows where throughput would be the rate. */
  isThroughput: boolean;
}

const MARGIN = { top: 20, right: 18, bottom: 16, left: 0 } as const;

function readAt({ load, points }: CurveRow, lines: readonly CurveLine[], of: [string, LoadUnit]): Reading {
  const [unit, loadUnit] = of;
  const entries = lines.flatMap(({ label, color, dash }, index) => {
    const dot = points[index];
    return dot ? [{ label, color, dash, value: dotText(dot, unit) }] : [];
  });
  return { title: formatValue(load, loadUnit), entries };
}

/** The interval at each rate by itself. */
const bandOf = (line: CurveLine, index: number, least: number) =>
  bandArea<CurveRow>(line, ({ points }) => {
    const { low = null, high = null } = points[index] ?? {};
    return low === null || high === null ? null : [Math.max(low, least), high];
  });

const lineOf = (line: CurveLine, index: number) =>
  meansLine<CurveRow>(line.label, {
    line,
    width: 2.25,
    at: ({ points }) => {
      const value = points[index]?.value ?? null;
      return value === null ? null : { mean: value, low: null, high: null };
    },
  });

/** Thin, beside what was measured. */
const lawOf = ({ label, color, law }: CurveLine) =>
  law && (
    <Line
      key={`${label} law`}
      dataKey={({ load }: CurveRow) => law(load)}
      type="monotone"
      stroke={color}
      strokeDasharray="1 3"
      strokeWidth={1.25}
      dot={false}
      activeDot={false}
      isAnimationActive={false}
    />
  );

function kneeOf({ label, color, dash, knee }: CurveLine) {
  if (!knee) return null;
  const at = formatNumber(Math.round(knee.at));
  return [
    knee.low !== null && knee.high !== null && (
      <ReferenceArea
        key={`${label} knee`}
        x1={knee.low}
        x2={knee.high}
        fill={color}
        fillOpacity={0.2}
        ifOverflow="hidden"
        {...IN_ORDER}
      />
    ),
    <ReferenceLine
      key={`${label} at`}
      x={knee.at}
      stroke={color}
      strokeDasharray={dash ?? '4 3'}
      ifOverflow="hidden"
      label={{ value: at, position: 'top', fontSize: 11, fill: 'var(--text)' }}
      {...IN_ORDER}
    />,
  ];
}

/** Where throughput would be, did it follow the rate: from the first to the last place that both axes have. */
function followingLine(across: readonly number[], up: readonly number[]) {
  const from = Math.max(across[0] ?? 0, up[0] ?? 0);
  const to = Math.min(across.at(-1) ?? 0, up.at(-1) ?? 0);
  if (to <= from) return null;
  return (
    <ReferenceLine
      segment={[
        { x: from, y: from },
        { x: to, y: to },
      ]}
      stroke="var(--chart-axis)"
      strokeDasharray="2 4"
      {...IN_ORDER}
    />
  );
}

/** Something against the rate of requests, arms in one chart, by Recharts. */
export function CurveCanvas(props: CurveCanvasProps) {
  const { lines, height, name, isThroughput, isLogarithmic, unit, loadUnit } = props;
  const rows = useMemo(() => curveRows(lines), [lines]);
  const across = useMemo(
    () =>
      ticksOfRates(
        rows.map(({ load }) => load),
        isLogarithmic,
      ),
    [rows, isLogarithmic],
  );
  const loadName = loadUnit === 'connections' ? t`Connections` : t`Requests due per second`;
  const up = useMemo(() => valuesTicks(rows, { isLogarithmic, unit }), [rows, isLogarithmic, unit]);
  return (
    <LinePlot
      rows={rows}
      height={height}
      margin={MARGIN}
      isGrid
      readAt={(row) => readAt(row, lines, [unit, loadUnit])}
      keys={{ label: name, placeOf: ({ load }) => load }}
    >
      {rateAxis(across, isLogarithmic, { key: 'load', name: loadName })}
      {scaledAxis(up, unit, isByPowers({ isLogarithmic, unit }))}
      {isThroughput && loadUnit === 'requests/s' && followingLine(across, up)}
      {lines.map((line, index) => bandOf(line, index, up[0] ?? 0))}
      {isThroughput && lines.flatMap(kneeOf)}
      {isThroughput && lines.map(lawOf)}
      {lines.map(lineOf)}
    </LinePlot>
  );
}
