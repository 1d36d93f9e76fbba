import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Tabs, Text } from '@mantine/core';
import type { Report, ReportTrial } from '@/api/generated';
import { ConfigView } from '@/components/config/ConfigView';
import { ArmMark } from '@/components/experiments/ArmMark';
import { AddNoteButton } from '@/components/notes/AddNoteButton';
import { NoteList } from '@/components/notes/NoteList';
import { Facts } from '@/components/ui/Facts';
import { ServerText } from '@/components/ui/language/ServerText';
import { QueryView } from '@/components/ui/QueryView';
import { nameOfState } from '@/domain/states';
import { armIndex, armLabel } from '@/domain/trials';
import { formatDuration, formatMicroseconds, formatNumber, formatValue } from '@/lib/format';
import { useReportNotes } from '../api/useReportNotes';
import { useTrialArtefacts } from '../api/useTrialArtefacts';
import { notedRun, useMayWrite } from '../notes/notes';
import { EngineTotalsFacts } from './EngineTotalsFacts';
import { RejectedFacts } from './RejectedFacts';
import shared from './TrialDialog.module.css';

function Printed({ summary }: { summary: ReportTrial['summary'] }) {
  return summary.streams.map(({ stream, printed }) =>
    printed ? (
      <div key={stream}>
        <Text size="sm" fw={600} mb={4}>
          {summary.streams.length > 1 ? t`As printed by wrk (${stream})` : t`As printed by wrk`}
        </Text>
        <Facts
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
        />
        <Text size="xs" c="var(--text-dim)" mt={4}>
          <Trans>
            Over wrk's whole run, including warm-up, and after wrk's own correction; not the values of the
            measured window.
          </Trans>
        </Text>
      </div>
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

function AgentNotes({ summary: { notes } }: { summary: ReportTrial['summary'] }) {
  return notes.map(({ code, severity, message }) => (
    <Text key={code + message} size="sm">
      {severity}: <ServerText text={message} /> <code>{code}</code>
    </Text>
  ));
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

/** One trial: its window, its notes, wrk's own words, and the files that were kept. */
function readingsMissed({ sampling }: ReportTrial['summary']): string | null {
  if (!sampling) return null;
  const { missing, expected } = sampling;
  return t`${missing} of ${expected}`;
}

export function TrialDialog({ report, entry: { trial, summary } }: { report: Report; entry: ReportTrial }) {
  const state = nameOfState(trial.state);
  return (
    <Stack gap="md">
      <ArmMark index={armIndex(report.arms, trial.arm)} label={armLabel(report.arms, trial.arm)} />
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
      <AgentNotes summary={summary} />
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
