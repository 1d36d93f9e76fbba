import { t } from '@lingui/core/macro';
import type { Report, RunAnalysis, StreamSummary } from '@/api/generated';
import { Tag } from '@/components/ui/Tag';
import type { Column } from '@/components/ui/table/DataTable';
import { engineOf } from '@/domain/engines';
import { slug } from '@/lib/download';
import { formatAmong, formatNumber, formatValue } from '@/lib/format';
import { ComparisonTable } from '../comparison/ComparisonTable';
import { Section } from '../contents/Section';
import { armColumn, figureColumn, GroupedTable } from '../tables';
import tables from '../tables.module.css';
import { basisOfStream, LatencyBasis } from '../verdict/Badges';
import classes from './StreamTable.module.css';

/** The same analysis, of one stream only. */
function ofStream(analysis: RunAnalysis, stream: string): RunAnalysis {
  const arms = analysis.arms.map((arm) => ({
    ...arm,
    metrics: arm.streams?.find((own) => own.stream === stream)?.metrics ?? [],
  }));
  const measured = new Set(arms.flatMap((arm) => arm.metrics.map(({ metric }) => metric)));
  return { ...analysis, arms, metrics: analysis.metrics.filter(({ key }) => measured.has(key)) };
}

/** Stream by stream, where trials have more than one: the whole may hide what one of them meets. */
export function StreamsSection({ report }: { report: Report }) {
  const { analysis } = report;
  const streams = [
    ...new Set(analysis.arms.flatMap((arm) => (arm.streams ?? []).map(({ stream }) => stream))),
  ];
  return streams.map((stream) => (
    <Section
      key={stream}
      id={slug(`stream-${stream}`)}
      title={t`Stream ${stream}`}
      flush
      note={t`Over the time of the stream, paired by block.`}
      actions={<LatencyBasis bases={[basisOfStream(report, stream)]} />}
    >
      <ComparisonTable analysis={ofStream(analysis, stream)} />
    </Section>
  ));
}

const isClosedLoop = ({ engine }: StreamSummary) => engineOf(engine).loop === 'closed';

const hasRejected = ({ rejected }: StreamSummary) => (rejected?.requests ?? 0) > 0;

interface Row {
  id: string;
  arm: string;
  /** What the usable trials of the arm have of the stream. */
  all: StreamSummary[];
}

type Pick = (one: StreamSummary) => number | null | undefined;

const valuesOf = ({ all }: Row, pick: Pick) => all.flatMap((one) => pick(one) ?? []);

/** The arithmetic mean over the trials that have the figure. */
function mean(row: Row, pick: Pick): number | null {
  const values = valuesOf(row, pick);
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

function most(row: Row, pick: Pick): number | null {
  const values = valuesOf(row, pick);
  return values.length > 0 ? Math.max(...values) : null;
}

function errorsOf({ errors }: StreamSummary): number | null {
  if (!errors) return null;
  const { connect = 0, read = 0, write = 0, timeout = 0, status = 0, garbage = 0 } = errors;
  return connect + read + write + timeout + status + garbage;
}

function sentShare(row: Row): string {
  const [sent, intended] = [mean(row, (one) => one.sent), mean(row, (one) => one.intended)];
  if (sent === null || !intended) return '–';
  return `${((100 * sent) / intended).toFixed(2)} %`;
}

const meanColumn = (name: string, pick: Pick, format: (value: number | null) => string) =>
  figureColumn<Row>(name, (row) => format(mean(row, pick)));

const rate = (value: number | null) => formatValue(value, '');

/** In the unit of the greatest of all `rows`. */
const timeColumn = (name: string, pick: Pick, rows: readonly Row[]) => {
  const means = rows.map((row) => mean(row, pick));
  return meanColumn(name, pick, (value) => formatAmong(value, means, 'us'));
};

const columnsOf = (arms: Report['arms'], rows: readonly Row[]): Column<Row>[] => [
  armColumn(arms),
  meanColumn(t`Requests/s`, (one) => one.requests_per_s, rate),
  meanColumn(t`Intended`, (one) => one.intended, formatNumber),
  figureColumn(t`Sent`, sentShare),
  figureColumn(t`Backlog`, (row) => formatNumber(most(row, (one) => one.backlog_max))),
  timeColumn('p50', ({ latency }) => latency?.p50_us, rows),
  timeColumn('p99', ({ latency }) => latency?.p99_us, rows),
  timeColumn(t`Service p99`, ({ service }) => service?.p99_us, rows),
  timeColumn(t`Late p99`, ({ schedule }) => schedule?.p99_us, rows),
  meanColumn(t`Rejected/s`, ({ rejected }) => rejected?.per_s, rate),
  meanColumn(t`Errors`, errorsOf, formatNumber),
];

const streamColumn = (): Column<StreamSummary> => ({
  name: t`Stream`,
  cell: ({ stream, engine, probe, latency_basis }) => (
    <>
      {stream} <Tag>{engine}</Tag> {probe && <Tag>{t`probe`}</Tag>}
      <div className={classes.basis}>
        <LatencyBasis bases={[latency_basis ?? null]} />
      </div>
    </>
  ),
});

/** Engine by engine: what was intended and sent, what waited, and each time by its own meaning. */
export function StreamTable({ report }: { report: Report }) {
  const usable = report.trials.filter(({ summary }) => summary.usable);
  const all = usable.flatMap(({ summary }) => summary.streams);
  const streams = [...new Map(all.map((one) => [one.stream, { ...one, id: one.stream }])).values()];
  if (streams.length < 2 && streams.every(isClosedLoop) && !all.some(hasRejected)) return null;
  const rowsOf = ({ stream }: StreamSummary) =>
    report.arms.map(({ key }) => ({
      id: key,
      arm: key,
      all: usable
        .filter(({ trial }) => trial.arm === key)
        .flatMap(({ summary }) => summary.streams.filter((one) => one.stream === stream)),
    }));
  return (
    <Section
      id="streams"
      title={t`Streams`}
      flush
      note={t`Means over the usable trials of an arm; the backlog is the maximum. Rates and times are of served requests; those rejected stand apart. Service time counts from the first write; late p99 is the generator's own delay.`}
    >
      <GroupedTable
        groups={streams}
        rowsOf={rowsOf}
        groupColumns={[streamColumn()]}
        columns={columnsOf(report.arms, streams.flatMap(rowsOf))}
        minWidth={980}
        className={tables.comparison}
      />
    </Section>
  );
}
