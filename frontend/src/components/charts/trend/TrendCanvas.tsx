import { plural, t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { DefaultZIndexes, ReferenceDot, ReferenceLine, usePlotArea, XAxis, ZIndexLayer } from 'recharts';
import { formatInterval, formatValue } from '@/lib/format';
import { formatDateTime, formatDay, formatDayAndTime } from '@/lib/time';
import { X_AXIS } from '../axes';
import { LinePlot, meansLine, type Reading } from '../LinePlot';
import { valueAxis } from '../plotAxes';
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

export interface TrendCanvasProps {
  runs: readonly TrendRunAt[];
  series: readonly TrendSeries[];
  unit: string;
  chosen: number;
  onChoose: (run: number) => void;
  height: number;
}

/** Takes clicks on the plot, above all that is drawn, for the run that is nearest in time. By keys, the slider does. */
function RunBands({ runs, onChoose }: Pick<TrendCanvasProps, 'runs' | 'onChoose'>) {
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

const MARGIN = { top: 18, right: 18, bottom: 0, left: 0 } as const;
const TWO_DAYS_MS = 2 * 86_400_000;

function readAt(row: TrendRow, segments: readonly TrendSegment[], unit: string): Reading {
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
  return { title: row.changed ? `${title}: ${row.changed}` : title, entries };
}

const segment = ({ key, series }: TrendSegment, index: number) =>
  meansLine<TrendRow>(key, { line: series, width: 1.75, at: ({ values }) => values[index] ?? null });

/** A ring around each point from which on the level is another. */
function rings({ series, values }: TrendSegment, times: ReadonlyMap<number, number>) {
  return series.changes.map((run) => {
    const value = values.get(run);
    return (
      value && (
        <ReferenceDot
          key={`${series.label} ${run}`}
          x={times.get(run) ?? 0}
          y={value.mean}
          r={8}
          fill="none"
          stroke={series.color}
          strokeWidth={2}
        />
      )
    );
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

const CHOSEN = { stroke: 'var(--chart-cursor)', strokeWidth: 6, strokeOpacity: 0.25 } as const;

/** A chart over runs, by Recharts. A click chooses the nearest run. */
export function TrendCanvas({ runs, series, unit, chosen, onChoose, height }: TrendCanvasProps) {
  const segments = useMemo(() => segmentsOf(series), [series]);
  const rows = useMemo(() => rowsOf(runs, segments), [runs, segments]);
  const times = useMemo(() => new Map(runs.map(({ run, t }) => [run, t])), [runs]);
  const ticks = useMemo(() => valueTicks(series), [series]);
  return (
    <LinePlot rows={rows} height={height} margin={MARGIN} readAt={(row) => readAt(row, segments, unit)}>
      {dateAxis(timeDomain(runs))}
      {valueAxis(unit, ticks)}
      <ReferenceLine x={times.get(chosen) ?? 0} {...CHOSEN} />
      {marksOf(runs).map(markLine)}
      {segments.map(segment)}
      {segments.flatMap((one) => rings(one, times))}
      {runs.filter(({ notes }) => notes > 0).map((run) => noteFlag(run, ticks[0] ?? 0))}
      <RunBands runs={runs} onChoose={onChoose} />
    </LinePlot>
  );
}
