import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { LatencySummary, Report, RunAnalysis, StreamSummary } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { Tag } from '@/components/ui/Tag';
import { HeadRow, numeric } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { engineOf } from '@/domain/engines';
import { slug } from '@/lib/download';
import { formatMicroseconds, formatNumber, formatValue } from '@/lib/format';
import { ComparisonTable } from '../comparison/ComparisonTable';
import { Section } from '../contents/Section';
import tables from '../tables.module.css';
import { basisOfStream, LatencyBasis } from './LatencyBasis';
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

type Pick = (one: StreamSummary) => number | null | undefined;

/** The arithmetic mean over the trials that have the figure. */
function mean(all: readonly StreamSummary[], pick: Pick): number | null {
  const values = all.map(pick).filter((value) => value !== null && value !== undefined);
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

const most = (all: readonly StreamSummary[], pick: Pick) => {
  const values = all.map(pick).filter((value) => value !== null && value !== undefined);
  return values.length > 0 ? Math.max(...values) : null;
};

function errorsOf({ errors }: StreamSummary): number | null {
  if (!errors) return null;
  const { connect = 0, read = 0, write = 0, timeout = 0, status = 0, garbage = 0 } = errors;
  return connect + read + write + timeout + status + garbage;
}

function sentShare(all: readonly StreamSummary[]): string {
  const [sent, intended] = [mean(all, (one) => one.sent), mean(all, (one) => one.intended)];
  if (sent === null || !intended) return '–';
  return `${((100 * sent) / intended).toFixed(2)} %`;
}

const time = (
  all: readonly StreamSummary[],
  of: 'latency' | 'service' | 'schedule',
  field: keyof LatencySummary,
) => formatMicroseconds(mean(all, (one) => one[of]?.[field]));

const heads = () => [
  t`Requests/s`,
  t`Intended`,
  t`Sent`,
  t`Backlog`,
  'p50',
  'p99',
  t`Service p99`,
  t`Late p99`,
  t`Rejected/s`,
  t`Errors`,
];

function Figures({ all }: { all: readonly StreamSummary[] }) {
  const cells = [
    formatValue(
      mean(all, (one) => one.requests_per_s),
      '',
    ),
    formatNumber(mean(all, (one) => one.intended)),
    sentShare(all),
    formatNumber(most(all, (one) => one.backlog_max)),
    time(all, 'latency', 'p50_us'),
    time(all, 'latency', 'p99_us'),
    time(all, 'service', 'p99_us'),
    time(all, 'schedule', 'p99_us'),
    formatValue(
      mean(all, (one) => one.rejected?.per_s),
      '',
    ),
    formatNumber(mean(all, errorsOf)),
  ];
  const names = heads();
  return cells.map((cell, index) => (
    <Table.Td key={names[index]} className={tables.number}>
      {cell}
    </Table.Td>
  ));
}

interface RowsProps {
  stream: StreamSummary;
  arms: Report['arms'];
  usable: Report['trials'];
}

/** One stream, arm beside arm. */
function StreamRows({ stream, arms, usable }: RowsProps) {
  const own = (arm: string) =>
    usable
      .filter(({ trial }) => trial.arm === arm)
      .flatMap(({ summary }) => summary.streams.filter((one) => one.stream === stream.stream));
  return (
    <Table.Tbody>
      {arms.map((arm, index) => (
        <Table.Tr key={arm.key}>
          {index === 0 && (
            <Table.Th scope="rowgroup" rowSpan={arms.length} className={tables.metric}>
              {stream.stream} <Tag>{stream.engine}</Tag> {stream.probe && <Tag>{t`probe`}</Tag>}
              <div className={classes.basis}>
                <LatencyBasis bases={[stream.latency_basis ?? null]} />
              </div>
            </Table.Th>
          )}
          <Table.Td>
            <ArmMark index={index} label={arm.label} />
          </Table.Td>
          <Figures all={own(arm.key)} />
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}

/** Engine by engine: what was intended and sent, what waited, and each time by its own meaning. */
export function StreamTable({ report }: { report: Report }) {
  const usable = report.trials.filter(({ summary }) => summary.usable);
  const all = usable.flatMap(({ summary }) => summary.streams);
  const streams = [...new Map(all.map((one) => [one.stream, one])).values()];
  if (streams.length < 2 && streams.every(isClosedLoop) && !all.some(hasRejected)) return null;
  return (
    <Section
      id="streams"
      title={t`Streams`}
      flush
      note={t`Means over the usable trials of an arm; the backlog is the maximum. Rates and times are of served requests; those rejected stand apart. Service time counts from the first write; late p99 is the generator's own delay.`}
    >
      <WideTable minWidth={980}>
        <Table verticalSpacing={4} className={tables.comparison}>
          <HeadRow columns={[t`Stream`, t`Arm`, ...numeric(...heads())]} />
          {streams.map((stream) => (
            <StreamRows key={stream.stream} stream={stream} arms={report.arms} usable={usable} />
          ))}
        </Table>
      </WideTable>
    </Section>
  );
}
