import { t } from '@lingui/core/macro';
import { type Key, useMemo } from 'react';
import { Line, ReferenceArea, ReferenceLine } from 'recharts';
import { formatValue } from '@/lib/format';
import { IN_ORDER, isByPowers } from '../axes';
import { LinePlot, type Reading } from '../LinePlot';
import { rateAxis, scaledAxis } from '../plotAxes';
import { StepShape } from './StepShape';
import { boundedTicks, rateTicks, type StepLine, type StepRow, type StepScales, stepRows } from './steps';

export interface StepsCanvasProps extends StepScales {
  lines: readonly StepLine[];
  height: number;
}

const MARGIN = { top: 12, right: 18, bottom: 16, left: 0 } as const;

function readAt(row: StepRow, { lines, unit }: StepsCanvasProps): Reading {
  const line = lines[row.line];
  if (!line) return { title: '', entries: [] };
  const { label, color, dash } = line;
  const value = `${formatValue(row.value, unit)}, ${row.text}`;
  return { title: formatValue(row.per_s, 'requests/s'), entries: [{ label, color, dash, value }] };
}

/** A line's points, each in the shape of its result, and not joined: a search jumps. */
function pointsOf({ label, color }: StepLine, index: number) {
  return (
    <Line
      key={label}
      name={label}
      dataKey={(row: StepRow) => (row.line === index ? row.value : null)}
      stroke={color}
      strokeWidth={0}
      dot={({ cx, cy, payload, key }: { cx?: number; cy?: number; payload?: StepRow; key?: Key | null }) =>
        cx === undefined || cy === undefined || payload?.line !== index ? (
          <g key={key} />
        ) : (
          <StepShape key={key} result={payload.result} color={color} x={cx} y={cy} />
        )
      }
      activeDot={false}
      isAnimationActive={false}
      {...IN_ORDER}
    />
  );
}

/** Where the capacity lies, as far as is known. */
function bandOf({ label, color, between }: StepLine) {
  if (!between) return null;
  return (
    <ReferenceArea
      key={`${label} between`}
      x1={between[0]}
      x2={between[1]}
      fill={color}
      fillOpacity={0.16}
      stroke={color}
      strokeOpacity={0.5}
      ifOverflow="hidden"
      {...IN_ORDER}
    />
  );
}

/** The steps of searches for the capacity, by Recharts: the rate across, what the goal bounds up. */
export function StepsCanvas(props: StepsCanvasProps) {
  const { lines, height, isLogarithmic, unit, bound } = props;
  const rows = useMemo(
    () => stepRows(lines, { isLogarithmic, unit, bound }),
    [lines, isLogarithmic, unit, bound],
  );
  const across = useMemo(() => rateTicks(lines, isLogarithmic), [lines, isLogarithmic]);
  const up = useMemo(
    () => boundedTicks(rows, { isLogarithmic, unit, bound }),
    [rows, isLogarithmic, unit, bound],
  );
  const most = formatValue(bound, unit);
  return (
    <LinePlot
      rows={rows}
      height={height}
      margin={MARGIN}
      isGrid
      readAt={(row) => readAt(row, props)}
      keys={{ label: t`Rates that were tried`, placeOf: ({ per_s }) => per_s }}
    >
      {rateAxis(across, isLogarithmic)}
      {scaledAxis(up, unit, isByPowers(props))}
      {lines.map(bandOf)}
      <ReferenceLine
        y={bound}
        stroke="var(--mark)"
        strokeDasharray="5 4"
        label={{
          value: t`goal: at most ${most}`,
          position: 'insideBottomLeft',
          fontSize: 11,
          fill: 'var(--text)',
        }}
        {...IN_ORDER}
      />
      {lines.map(pointsOf)}
    </LinePlot>
  );
}
