import { Stack, Tabs, Text } from '@mantine/core';
import type { Report, ReportTrial } from '@/api/generated';
import { ConfigView } from '@/components/config/ConfigView';
import { ArmMark } from '@/components/experiments/ArmMark';
import { AddNoteButton } from '@/components/notes/AddNoteButton';
import { NoteList } from '@/components/notes/NoteList';
import { Facts } from '@/components/ui/Facts';
import { QueryView } from '@/components/ui/QueryView';
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
          As printed by wrk{summary.streams.length > 1 && ` (${stream})`}
        </Text>
        <Facts
          rows={[
            ['Requests', formatNumber(printed.requests)],
            ['Duration', formatDuration(printed.duration_s)],
            ['Requests/s', formatNumber(printed.requests_per_s)],
            ['Latency mean', formatMicroseconds(printed.latency_avg_us)],
            ['Standard deviation', formatMicroseconds(printed.latency_stdev_us)],
            ['p50', formatMicroseconds(printed.latency_p50_us)],
            ['p99', formatMicroseconds(printed.latency_p99_us)],
            ['Max', formatMicroseconds(printed.latency_max_us)],
          ]}
        />
        <Text size="xs" c="var(--text-dim)" mt={4}>
          Over wrk's whole run, including warm-up, and after wrk's own correction; not the values of the
          measured window.
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
          <Text size="sm">No file was kept.</Text>
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
                    <pre>{text || '(empty)'}</pre>
                  </section>
                )}
                {truncated && <Text size="xs">Only the first part was kept.</Text>}
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
      {severity}: {message} <code>{code}</code>
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
export function TrialDialog({ report, entry: { trial, summary } }: { report: Report; entry: ReportTrial }) {
  return (
    <Stack gap="md">
      <ArmMark index={armIndex(report.arms, trial.arm)} label={armLabel(report.arms, trial.arm)} />
      <Facts
        rows={[
          ['Block', trial.block],
          ['State', trial.reason ? `${trial.state}: ${trial.reason}` : trial.state],
          ['Used', summary.usable ? 'yes' : (summary.unusable_reason ?? 'no')],
          ['Measured window', formatDuration(summary.window_s)],
          ['Requests/s', formatValue(summary.requests_per_s, 'requests/s')],
          ['Rate source', summary.rate_source],
          ['nginx CPU per 1,000 requests', formatValue(summary.nginx_cpu_s_per_1000_requests, 's')],
          ['Agent CPU', formatValue(summary.agent_cpu_percent, '%')],
          [
            'Streams started within',
            summary.streams.length > 1 && summary.start_spread_us != null
              ? formatMicroseconds(summary.start_spread_us)
              : null,
          ],
          [
            'Missing readings',
            summary.sampling && `${summary.sampling.missing} of ${summary.sampling.expected}`,
          ],
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
