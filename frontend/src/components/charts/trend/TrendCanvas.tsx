import { plural, t } from '@lingui/core/macro';
import { useMemo } from 'react';
import {
  CartesianGrid,
  ComposedChart,
  DefaultZIndexes,
  ErrorBar,
  Line,
  ReferenceDot,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  usePlotArea,
  XAxis,
  YAxis,
  ZIndexLayer,
} from 'recharts';
import { formatInterval, formatTick, formatValue } from '@/lib/format';
import { formatDateTime, formatDay, formatDayAndTime } from '@/lib/time';
import { X_AXIS, Y_AXIS } from '../axes';
import { ValuesBox } from '../ValuesBox';
import {
  bandsOf,
  marksOf,
  rowsOf,
  segmentsOf,
  type TrendMark,
  type TrendRow,
  type TrendRunAt,
  type TrendSegment,
  type TrendSeries,
  timeDomain,
  valueTicks,
} from './trend';

interface Props {
  runs: readonly TrendRunAt[];
  onChoose: (run: number) => void;
}

/** Takes clicks on the plot, above all that is drawn, for the run that is nearest in time. By keys, the slider does. */
function RunBands({ runs, onChoose }: Props) {
  const area = usePlotArea();
  if (!area) return null;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.label + 1}>
      {bandsOf(runs).map(({ run, from, to }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the slider chooses runs by keys
        <rect
          key={run}
          data-run={run}
          x={area.x + from * area.width}
          y={area.y}
          width={(to - from) * area.width}
          height={area.height}
          fill="transparent"
          style={{ cursor: 'pointer' }}
          onClick={() => onChoose(run)}
        />
      ))}
    </ZIndexLayer>
  );
}

export interface TrendCanvasProps {
  runs: readonly TrendRunAt[];
  series: readonly TrendSeries[];
  unit: string;
  /** The number of the run whose place is marked. */
  chosen: number;
  onChoose: (run: number) => void;
  height: number;
}

const MARGIN = { top: 18, right: 18, bottom: 0, left: 0 } as const;
const TWO_DAYS_MS = 2 * 86_400_000;

interface ValuesProps {
  row: TrendRow;
  segments: readonly TrendSegment[];
  unit: string;
}

function Values({ row, segments, unit }: ValuesProps) {
  const entries = segments.flatMap(({ series: { label, color, dash } }, index) => {
    const value = row.values[index];
    if (!value) return [];
    const { mean, low, high } = value;
    const interval = low === null || high === null ? '' : ` (${formatInterval(low, high, unit)})`;
    return [{ label, color, dash, value: `${formatValue(mean, unit)}${interval}` }];
  });
  const [run, at] = [row.run, formatDateTime(new Date(row.t).toISOString())];
  const title =
    row.notes > 0
      ? t`#${run}, ${at}, ${plural(row.notes, { one: '# note', other: '# notes' })}`
      : t`#${run}, ${at}`;
  return <ValuesBox title={row.changed ? `${title}: ${row.changed}` : title} entries={entries} />;
}

/** Whiskers: the distances of the interval's ends from the mean. */
function spread(row: TrendRow, index: number): [number, number] | null {
  const value = row.values[index];
  if (!value || value.low === null || value.high === null) return null;
  return [value.mean - value.low, value.high - value.mean];
}

function segment({ key, series: { label, color, dash } }: TrendSegment, index: number) {
  return (
    <Line
      key={key}
      name={label}
      dataKey={(row: TrendRow) => row.values[index]?.mean ?? null}
      stroke={color}
      strokeDasharray={dash}
      strokeWidth={1.75}
      dot={{ r: 3, fill: color, strokeWidth: 0 }}
      connectNulls
      isAnimationActive={false}
    >
      <ErrorBar
        dataKey={(row: TrendRow) => spread(row, index)}
        direction="y"
        width={4}
        stroke={color}
        strokeWidth={1.25}
        isAnimationActive={false}
      />
    </Line>
  );
}

/** A ring around each point from which on the level is another. */
function rings({ series, values }: TrendSegment, times: ReadonlyMap<number, number>) {
  return series.changes.flatMap((run) => {
    const value = values.get(run);
    return value
      ? [
          <ReferenceDot
            key={`${series.label} ${run}`}
            x={times.get(run) ?? 0}
            y={value.mean}
            r={8}
            fill="none"
            stroke={series.color}
            strokeWidth={2}
          />,
        ]
      : [];
  });
}

function markLine({ run, t, label }: TrendMark) {
  return (
    <ReferenceLine
      key={run}
      x={t}
      stroke="var(--mark)"
      strokeDasharray="4 3"
      label={{ value: label, position: 'top', fontSize: 11, fill: 'var(--text)' }}
    />
  );
}

/** A flag at the foot of each run that people wrote of, with how many notes there are. */
function noteFlag({ run, t, notes }: TrendRunAt, bottom: number) {
  return (
    <ReferenceDot
      key={`notes ${run}`}
      x={t}
      y={bottom}
      r={7}
      fill="var(--note)"
      stroke="none"
      label={{ value: notes, fontSize: 10, fontWeight: 600, fill: 'var(--note-text)' }}
    />
  );
}

function dateAxis([start, end]: readonly [number, number]) {
  const format = end - start > TWO_DAYS_MS ? formatDay : formatDayAndTime;
  return (
    <XAxis
      dataKey="t"
      type="number"
      scale="time"
      domain={[start, end]}
      tickFormatter={(t: number) => format(t)}
      {...X_AXIS}
      minTickGap={32}
    />
  );
}

function valueAxis(ticks: readonly number[], unit: string) {
  return (
    <YAxis
      domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
      ticks={[...ticks]}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}

const CHOSEN = { stroke: 'var(--chart-cursor)', strokeWidth: 6, strokeOpacity: 0.25 } as const;

/** A chart over runs, by Recharts. A click chooses the nearest run. */
export function TrendCanvas({ runs, series, unit, chosen, onChoose, height }: TrendCanvasProps) {
  const segments = useMemo(() => segmentsOf(series), [series]);
  const rows = useMemo(() => rowsOf(runs, segments), [runs, segments]);
  const times = useMemo(() => new Map(runs.map(({ run, t }) => [run, t])), [runs]);
  const ticks = useMemo(() => valueTicks(series), [series]);
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <ComposedChart data={rows} margin={MARGIN} accessibilityLayer={false}>
        <CartesianGrid stroke="var(--chart-grid)" vertical={false} />
        {dateAxis(timeDomain(runs))}
        {valueAxis(ticks, unit)}
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--chart-cursor)' }}
          content={({ active, payload }) => {
            const row = active ? (payload?.[0]?.payload as TrendRow | undefined) : undefined;
            return row ? <Values row={row} segments={segments} unit={unit} /> : null;
          }}
        />
        <ReferenceLine x={times.get(chosen) ?? 0} {...CHOSEN} />
        {marksOf(runs).map(markLine)}
        {segments.map(segment)}
        {segments.flatMap((one) => rings(one, times))}
        {runs.filter(({ notes }) => notes > 0).map((run) => noteFlag(run, ticks[0] ?? 0))}
        <RunBands runs={runs} onChoose={onChoose} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}
