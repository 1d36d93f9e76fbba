import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Tabs, Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import type { EngineTotals, RejectedSummary, Report, ReportTrial, StreamSummary } from '@/api/generated';
import { ConfigView } from '@/components/config/ConfigView';
import { NoteList } from '@/components/notes/NoteList';
import { AddNoteButton } from '@/components/notes/openNote';
import { Facts } from '@/components/ui/Facts';
import { ServerText } from '@/components/ui/language/ServerText';
import { QueryView } from '@/components/ui/QueryView';
import { nameOfState } from '@/domain/states';
import { formatBytes, formatDuration, formatMicroseconds, formatNumber, formatValue } from '@/lib/format';
import { useTrialArtefacts } from '../api';
import { notedRun, useMayWrite, useReportNotes } from '../notes';
import { ReportArm } from '../tables';
import shared from './TrialDialog.module.css';

const meanings = (): Record<RejectedSummary['told_apart'], string> => ({
  all: t`Neither rate nor latency of the stream includes them.`,
  rate: t`The rate of the stream is without them. Its latency includes them: the engine cannot tell them apart.`,
  nothing: t`Rate and latency of the stream include them: nothing tells them apart.`,
});

const statusesOf = ({ statuses }: RejectedSummary) =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${formatNumber(count)}`)
    .join(', ');

const isAny = (rejected: RejectedSummary) =>
  rejected.requests > 0 || rejected.told_apart !== 'all' || Object.keys(rejected.statuses).length > 0;

interface CountedProps {
  title: string;
  rows: ComponentProps<typeof Facts>['rows'];
  /** What the figures are of. */
  children: ReactNode;
}

/** Figures of a trial beside those of its measured window. */
function Counted({ title, rows, children }: CountedProps) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Facts rows={rows} />
      <Text size="xs" c="var(--text-dim)" mt={4}>
        {children}
      </Text>
    </div>
  );
}

/** The responses that served nobody, stream by stream; nothing where there were none. */
export function RejectedFacts({ streams }: { streams: readonly StreamSummary[] }) {
  return streams.map((stream) => <RejectedOfStream key={stream.stream} stream={stream} />);
}

function RejectedOfStream({ stream: { stream, rejected } }: { stream: StreamSummary }) {
  if (!rejected || !isAny(rejected)) return null;
  const { requests, per_s, share_percent, latency, told_apart } = rejected;
  return (
    <Counted
      title={t`Rejected requests (${stream})`}
      rows={[
        [t`In the window`, formatNumber(requests)],
        [t`Rate`, formatValue(per_s, 'requests/s')],
        [t`Share of all responses`, formatValue(share_percent, '%')],
        [t`Latency, p50`, latency && formatMicroseconds(latency.p50_us)],
        [t`Latency, p99`, latency && formatMicroseconds(latency.p99_us)],
        [t`By status, whole run`, statusesOf(rejected)],
      ]}
    >
      {meanings()[told_apart]}
    </Counted>
  );
}

const errors = () =>
  [
    ['errors_connect', t({ message: 'connect', context: 'errors' })],
    ['errors_read', t({ message: 'read', context: 'errors' })],
    ['errors_write', t({ message: 'write', context: 'errors' })],
    ['errors_timeout', t({ message: 'timeout', context: 'errors' })],
    ['errors_garbage', t({ message: 'garbage', context: 'errors' })],
    ['errors_reset', t({ message: 'reset', context: 'errors' })],
    ['errors_refused', t({ message: 'refused', context: 'errors' })],
  ] as const;

function errorText(totals: EngineTotals): string {
  const found = errors().flatMap(([kind, name]) => {
    const count = totals[kind] ?? 0;
    return count > 0 ? [`${formatNumber(count)} ${name}`] : [];
  });
  return found.join(', ') || t`none`;
}

/** What a stream's handshakes of TLS were. */
function handshakes(totals: EngineTotals): [string, string][] {
  const { handshakes: made = 0, handshakes_resumed = 0, early_requests = 0 } = totals;
  return [
    [t`TLS handshakes`, formatNumber(made)],
    [t`Of these, resumed`, formatNumber(handshakes_resumed)],
    ...(early_requests
      ? [[t`Requests in early data`, formatNumber(early_requests)] as [string, string]]
      : []),
  ];
}

/** As their stream says. */
const goneAway = (count: number): [string, string] => [t`Clients that went away`, formatNumber(count)];

/** HTTP/2, HTTP/3: connections that nginx ended by GOAWAY, and what it had not processed then. */
function orderlyEnds({ goaways, requests_repeated = 0 }: EngineTotals): [string, string][] {
  return [
    [t`Ended by nginx (GOAWAY)`, formatNumber(goaways ?? 0)],
    [t`Sent again after that`, formatNumber(requests_repeated)],
  ];
}

/** What an engine of our own counted over its whole life. */
function EngineTotalsFacts({ title, totals }: { title: string; totals: EngineTotals }) {
  const memory = totals.own_memory_bytes ?? null;
  const held = totals.connections_max ?? 0;
  const each = memory === null || held === 0 ? null : `${Math.round(memory / held)} B`;
  return (
    <Counted
      title={title}
      rows={[
        [t`Intended`, totals.intended == null ? null : formatNumber(totals.intended)],
        [t`Sent`, formatNumber(totals.sent)],
        [t`Answered`, formatNumber(totals.completed)],
        [t`Not served`, formatNumber(totals.errors_status ?? 0)],
        ...(totals.aborted ? [goneAway(totals.aborted)] : []),
        [t`Not answered at the end`, formatNumber(totals.unfinished ?? 0)],
        [t`Maximum backlog`, formatNumber(totals.backlog_max ?? 0)],
        [t`Peak connections`, formatNumber(held)],
        [t`Opened`, formatNumber(totals.connects)],
        [t`Reopened`, formatNumber(totals.reconnects)],
        ...(totals.handshakes ? handshakes(totals) : []),
        ...(totals.goaways ? orderlyEnds(totals) : []),
        [t({ message: 'Read', context: 'bytes' }), formatBytes(totals.bytes_read)],
        [t`Processes`, formatNumber(totals.processes)],
        [t`Generator memory`, memory === null ? null : formatBytes(memory)],
        [t`Generator memory per connection`, each],
        [t`Errors`, errorText(totals)],
      ]}
    >
      <Trans>Over the generator's whole run, including warm-up; not the values of the measured window.</Trans>
    </Counted>
  );
}

function Printed({ summary }: { summary: ReportTrial['summary'] }) {
  return summary.streams.map(({ stream, printed }) =>
    printed ? (
      <Counted
        key={stream}
        title={summary.streams.length > 1 ? t`As printed by wrk (${stream})` : t`As printed by wrk`}
        rows={[
          [t`Requests`, formatNumber(printed.requests)],
          [t`Duration`, formatDuration(printed.duration_s)],
          [t`Requests/s`, formatNumber(printed.requests_per_s)],
          [t`Latency mean`, formatMicroseconds(printed.latency_avg_us)],
          [t`Standard deviation`, formatMicroseconds(printed.latency_stdev_us)],
          ['p50', formatMicroseconds(printed.latency_p50_us)],
          ['p99', formatMicroseconds(printed.latency_p99_us)],
          [t`Max`, formatMicroseconds(printed.latency_max_us)],
        ]}
      >
        <Trans>
          Over wrk's whole run, including warm-up, and after wrk's own correction; not the values of the
          measured window.
        </Trans>
      </Counted>
    ) : null,
  );
}

function Files({ trialId }: { trialId: string }) {
  const artefacts = useTrialArtefacts(trialId);
  return (
    <QueryView query={artefacts} skeleton={[180]}>
      {(files) =>
        files.length === 0 ? (
          <Text size="sm">{t`No file was kept.`}</Text>
        ) : (
          <Tabs defaultValue={files[0]?.name} keepMounted={false}>
            <Tabs.List mb="xs">
              {files.map(({ name }) => (
                <Tabs.Tab key={name} value={name}>
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {files.map(({ name, text, truncated }) => (
              <Tabs.Panel key={name} value={name}>
                {name.endsWith('.conf') ? (
                  <ConfigView text={text} label={name} />
                ) : (
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
                  <section className={shared.codeBlock} aria-label={name} tabIndex={0}>
                    <pre>{text || t`(empty)`}</pre>
                  </section>
                )}
                {truncated && <Text size="xs">{t`Only the first part was kept.`}</Text>}
              </Tabs.Panel>
            ))}
          </Tabs>
        )
      }
    </QueryView>
  );
}

/** What people wrote of the trial and of moments in it. */
function TrialNotes({ report, trialId }: { report: Report; trialId: string }) {
  const notes = useReportNotes(report).filter(({ trial_id }) => trial_id === trialId);
  const mayWrite = useMayWrite();
  const run = notedRun(report);
  return (
    <>
      {notes.length > 0 && <NoteList run={run} notes={notes} />}
      {mayWrite && (
        <div>
          <AddNoteButton run={run} place={{ trialId }} />
        </div>
      )}
    </>
  );
}

function readingsMissed({ sampling }: ReportTrial['summary']): string | null {
  if (!sampling) return null;
  const { missing, expected } = sampling;
  return t`${missing} of ${expected}`;
}

/** One trial: its window, its notes, wrk's own words, and the files that were kept. */
export function TrialDialog({ report, entry: { trial, summary } }: { report: Report; entry: ReportTrial }) {
  const state = nameOfState(trial.state);
  return (
    <Stack gap="md">
      <ReportArm arms={report.arms} arm={trial.arm} />
      <Facts
        rows={[
          [t`Block`, trial.block],
          [t`State`, trial.reason ? `${state}: ${trial.reason}` : state],
          [t`Used`, summary.usable ? t`yes` : (summary.unusable_reason ?? t`no`)],
          [t`Measured window`, formatDuration(summary.window_s)],
          [t`Requests/s`, formatValue(summary.requests_per_s, 'requests/s')],
          [t`Rate source`, summary.rate_source],
          [t`nginx CPU per 1,000 requests`, formatValue(summary.nginx_cpu_s_per_1000_requests, 's')],
          [t`Agent CPU`, formatValue(summary.agent_cpu_percent, '%')],
          [
            t`Streams started within`,
            summary.streams.length > 1 && summary.start_spread_us != null
              ? formatMicroseconds(summary.start_spread_us)
              : null,
          ],
          [t`Missing readings`, readingsMissed(summary)],
        ]}
      />
      {summary.notes.map(({ code, severity, message }) => (
        <Text key={code + message} size="sm">
          {severity}: <ServerText text={message} /> <code>{code}</code>
        </Text>
      ))}
      <TrialNotes report={report} trialId={trial.id} />
      <RejectedFacts streams={summary.streams} />
      <Printed summary={summary} />
      {summary.streams.map(({ stream, engine, totals }) =>
        totals ? <EngineTotalsFacts key={stream} title={`${engine} (${stream})`} totals={totals} /> : null,
      )}
      <Files trialId={trial.id} />
    </Stack>
  );
}
