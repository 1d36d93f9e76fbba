import { t } from '@lingui/core/macro';
import { useMemo, useState } from 'react';
import type { TrendMetric, TrendPoint, TrendRun } from '@/api/generated';
import { useShareToken } from '@/api/shareToken';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { TrendChart } from '@/components/charts/lineCharts';
import { armColor, armDash } from '@/components/charts/palette';
import type { TrendRunAt, TrendSeries } from '@/components/charts/trend/trend';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { formatInterval, formatValue, unitBeside } from '@/lib/format';
import { named, said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';
import { CompareLink, RunLink } from './RunLink';
import classes from './trends.module.css';

interface Props {
  metric: TrendMetric;
  runs: readonly TrendRun[];
  chosen: number;
  onChoose: (run: number) => void;
}

function seriesOf({ lines }: TrendMetric): TrendSeries[] {
  return lines.map(({ label, points, change_points }, index) => ({
    label: named(label),
    color: armColor(index),
    dash: armDash(index),
    values: points.flatMap(({ run, mean, low, high, stretch }) =>
      mean == null ? [] : [{ run, mean, low: low ?? null, high: high ?? null, stretch: stretch ?? 0 }],
    ),
    changes: change_points.map(({ run }) => run),
  }));
}

function timesOf(runs: readonly TrendRun[]): TrendRunAt[] {
  return runs.map(({ number, at, changes, notes }) => ({
    run: number,
    t: Date.parse(at),
    changed: changes.map(({ text }) => text).join('; '),
    notes,
  }));
}

/** "50,000 req/s (49,000 to 51,000 req/s)"; why there is none; a dash where the run has no such arm. */
export function pointText(point: TrendPoint | undefined, unit: string): string {
  if (!point) return '–';
  const { mean, low, high, missing } = point;
  if (mean == null) return missing ? said(missing) : '–';
  const interval = low == null || high == null ? t`no interval` : formatInterval(low, high, unit);
  return `${formatValue(mean, unit)} (${interval})`;
}

/** The chart in numbers, the latest run first. */
function ValueTable({ metric: { lines, info }, runs }: Pick<Props, 'metric' | 'runs'>) {
  const token = useShareToken();
  const columns: Column<TrendRun>[] = [
    { name: t`Run`, cell: ({ id, number }) => <RunLink id={id}>#{number}</RunLink> },
    { name: t`Started`, nowrap: true, cell: ({ at }) => formatDateTime(at) },
    ...lines.map(({ arm, label, points }) => {
      const byRun = new Map(points.map((point) => [point.run, point]));
      return {
        id: `arm ${arm}`,
        name: named(label),
        cell: ({ number }: TrendRun) => pointText(byRun.get(number), info.unit),
      };
    }),
  ];
  if (token === null) columns.push({ name: t`Compare`, cell: (run) => <CompareLink run={run} /> });
  return <DataTable columns={columns} rows={runs.toReversed()} minWidth={480} />;
}

/** One metric by arm over the runs, as a chart and as a table. */
export function MetricFigure({ metric, runs, chosen, onChoose }: Props) {
  const [isOpen, setOpen] = useState(false);
  const series = useMemo(() => seriesOf(metric), [metric]);
  const times = useMemo(() => timesOf(runs), [runs]);
  const { stream } = metric;
  const name = said(metric.info.title);
  const title = stream ? t`${name}, stream ${stream}` : name;
  return (
    <ChartFrame title={title} unit={unitBeside(metric.info.unit)} wide>
      <TrendChart runs={times} series={series} unit={metric.info.unit} chosen={chosen} onChoose={onChoose} />
      <details className={classes.rest} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t`${title} as a table`}</summary>
        {isOpen && <ValueTable metric={metric} runs={runs} />}
      </details>
    </ChartFrame>
  );
}
