import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { TrendMetric, TrendPoint, TrendRun } from '@/api/generated';
import { useShareToken } from '@/api/shareToken';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { armColor, armDash } from '@/components/charts/palette';
import { TrendChart } from '@/components/charts/lineCharts';
import type { TrendRunAt, TrendSeries } from '@/components/charts/trend/trend';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { unitBeside } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';
import { pointText } from './pointText';
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
    label,
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

function ValueRow({
  run,
  points,
  unit,
}: {
  run: TrendRun;
  points: (TrendPoint | undefined)[];
  unit: string;
}) {
  const token = useShareToken();
  return (
    <Table.Tr>
      <Table.Td>
        <RunLink id={run.id}>#{run.number}</RunLink>
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{formatDateTime(run.at)}</Table.Td>
      {points.map((point, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one cell a column
        <Table.Td key={index}>{pointText(point, unit)}</Table.Td>
      ))}
      {token === null && (
        <Table.Td>
          <CompareLink run={run} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

/** The chart in numbers, the latest run first. */
function ValueTable({ metric: { lines, info }, runs }: Pick<Props, 'metric' | 'runs'>) {
  const token = useShareToken();
  const compare = token === null ? [t`Compare`] : [];
  const byRun = lines.map(({ points }) => new Map(points.map((point) => [point.run, point])));
  return (
    <WideTable minWidth={480}>
      <Table>
        <HeadRow columns={[t`Run`, t`Started`, ...lines.map(({ label }) => label), ...compare]} />
        <Table.Tbody>
          {runs.toReversed().map((run) => (
            <ValueRow
              key={run.id}
              run={run}
              points={byRun.map((points) => points.get(run.number))}
              unit={info.unit}
            />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
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
