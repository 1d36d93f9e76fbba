import { t } from '@lingui/core/macro';
import { useMemo, useState } from 'react';
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
import { AXIS_TEXT, valueTicks, X_AXIS, Y_AXIS } from '../axes';
import { ReadValues } from '../ChartReader';
import reader from '../ChartReader.module.css';
import { type Reading, ValuesBox } from '../ValuesBox';
import { EdgeMarks } from './EdgeMarks';
import {
  type AxisMark,
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

/** Whiskers: the distances of the least and the most of the single trials from their mean. */
function spread(row: LevelRow, index: number): [number, number] | null {
  const [mean, range] = [row.means[index], row.ranges[index]];
  return mean == null || !range ? null : [mean - range[0], range[1] - mean];
}

/** Dots at the means with their whiskers, joined by a line where no regression is drawn. */
function means({ label, color, dash, regression }: LevelLine, index: number) {
  return (
    <Line
      key={label}
      name={label}
      dataKey={(row: LevelRow) => row.means[index] ?? null}
      stroke={color}
      strokeDasharray={dash}
      strokeWidth={regression ? 0 : 2}
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
  );
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

function valueAxis(unit: string, ticks: number[]) {
  return (
    <YAxis
      domain={[0, ticks.at(-1) ?? 1]}
      ticks={ticks}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}

function usePlotted({ lines, marks, unit }: LevelLinesProps) {
  return useMemo(() => {
    const rows = levelRows(lines);
    const { within, beyond } = placeAxisMarks(rows, marks);
    const [domain, ticks] = [xDomain(rows, within), valueTicks(highestOf(rows, within), unit)];
    return { rows, within, beyond, domain, ticks };
  }, [lines, marks, unit]);
}

/** The only place of a chart over levels that knows Recharts. */
export function LevelLinesCanvas(props: LevelLinesProps) {
  const { lines, xTitle, xUnit, unit, height } = props;
  const { rows, within, beyond, domain, ticks } = usePlotted(props);
  const [read, setRead] = useState<number | null>(null);
  const row = read === null ? undefined : rows[read];
  return (
    <div className={reader.readable}>
      <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
        <ComposedChart data={rows} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid stroke="var(--chart-grid)" vertical={false} />
          {levelAxis(rows, domain, xTitle, xUnit)}
          {valueAxis(unit, ticks)}
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--chart-cursor)' }}
            content={({ active, payload }) => {
              const pointed = active ? (payload?.[0]?.payload as LevelRow | undefined) : undefined;
              return pointed ? <ValuesBox {...readAt(pointed, props)} /> : null;
            }}
          />
          {within.map((mark) => referenceLine(mark, (domain[0] + domain[1]) / 2))}
          {lines.map(means)}
          {lines.map(fit)}
          {row && <ReferenceLine x={row.x} stroke="var(--chart-cursor)" />}
          <EdgeMarks marks={beyond} unit={unit} xUnit={xUnit} />
        </ComposedChart>
      </ResponsiveContainer>
      <ReadValues
        label={t`By ${xTitle}`}
        rows={rows}
        readAt={(one) => readAt(one, props)}
        row={row}
        onRead={setRead}
      />
    </div>
  );
}
