import { t } from '@lingui/core/macro';
import { Skeleton, Stack } from '@mantine/core';
import { Suspense, useDeferredValue } from 'react';
import type { Report } from '@/api/generated';
import { PinProvider, TimeRangeProvider } from '@/components/charts/time/choices';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { StoredInventory } from '@/components/hosts/InventoryFacts';
import { RunNoteList } from '@/components/notes/NoteList';
import { AddNoteButton } from '@/components/notes/openNote';
import { Facts } from '@/components/ui/Facts';
import { ServerText } from '@/components/ui/language/ServerText';
import { lazyPart } from '@/components/ui/lazyPart';
import { slug } from '@/lib/download';
import { formatDuration } from '@/lib/format';
import { formatDateTime } from '@/lib/time';
import { CostSection } from './CostSection';
import { BalanceSection } from './charts/BalanceSection';
import { DistributionSection } from './charts/DistributionSection';
import { ShiftSection } from './charts/ShiftSection';
import { TimeSection } from './charts/TimeSection';
import { ComparisonTable } from './comparison/ComparisonTable';
import { FactorsSection } from './comparison/FactorsSection';
import { SelectionSection } from './comparison/SelectionSection';
import { WithContents } from './contents/Contents';
import { Folded, Section } from './contents/Section';
import { FindingsSection } from './findings/FindingsSection';
import { InsideSection } from './InsideSection';
import { notedRun, useMayWrite, useReportNotes } from './notes';
import { NoProfiles, Profiles } from './profiles/Profiles';
import { StreamsSection, StreamTable } from './streams/StreamsSection';
import { ActionsSection } from './trials/ActionsSection';
import { TrialsSection } from './trials/TrialsSection';
import { BottleneckSection, BuildsSection, ThresholdsSection } from './verdict/ArmSections';
import { basesOfTotals, LatencyBasis } from './verdict/Badges';
import { ChecksSection } from './verdict/ChecksSection';
import { VerdictSection } from './verdict/VerdictSection';
import { WindowSection } from './window/WindowSection';

const CapacitySection = lazyPart(() =>
  import('./charts/CapacitySection').then((part) => part.CapacitySection),
);

const CurveSection = lazyPart(() => import('./charts/CurveSection').then((part) => part.CurveSection));

const SizingSection = lazyPart(() => import('./charts/SizingSection').then((part) => part.SizingSection));

function PlanPanel({ report }: { report: Report }) {
  const { run, template } = report;
  const { plan } = run;
  return (
    <Section id="plan" title={t`Plan`}>
      <Facts
        rows={[
          [t`Blocks`, plan.blocks],
          [t`Trials`, plan.trials],
          [t`Warm-up`, formatDuration(plan.warmup_s)],
          [t`Measured`, formatDuration(plan.measure_s)],
          [t`Cool-down`, formatDuration(plan.cooldown_s)],
          [t`Sampling interval`, `${plan.interval_ms} ms`],
          [t`Seed of the random order`, run.seed],
          [t`Started`, run.started_at && formatDateTime(run.started_at)],
          [t`Finished`, run.finished_at && formatDateTime(run.finished_at)],
          ...Object.entries(template?.parameters ?? {}).map(
            ([name, value]) => [name, String(value)] as const,
          ),
        ]}
      />
    </Section>
  );
}

function MechanismPanel({ template }: { template: NonNullable<Report['template']> }) {
  const { title, published } = template.source;
  return (
    <Section id="what-is-compared" title={t`What is compared`}>
      <p style={{ margin: 0, maxWidth: '90ch', fontSize: 13 }}>
        <ServerText text={template.mechanism} />
      </p>
      <p style={{ margin: '8px 0 0', fontSize: 12, color: 'var(--text-dim)' }}>
        {t`After ${title}, ${published}.`}
      </p>
    </Section>
  );
}

function ComparisonPanel({ report }: { report: Report }) {
  const margin = Math.round(report.analysis.margin * 1000) / 10;
  return (
    <Section
      id="comparison"
      title={t`Comparison`}
      flush
      actions={<LatencyBasis bases={basesOfTotals(report)} />}
      note={t`Arms are paired by block. The grey band is the margin of ±${margin} %; a ratio within it counts as no difference.`}
    >
      <ComparisonTable analysis={report.analysis} />
    </Section>
  );
}

/** Notes on the run. Renders nothing where there are none and the reader cannot write any. */
function NotesSection({ report }: { report: Report }) {
  const notes = useReportNotes(report);
  const mayWrite = useMayWrite();
  if (notes.length === 0 && !mayWrite) return null;
  const run = notedRun(report);
  return (
    <Section id="notes" title={t`Notes`} actions={mayWrite && <AddNoteButton run={run} />}>
      <RunNoteList run={run} notes={notes} mayWrite={mayWrite} />
    </Section>
  );
}

function ConfigurationPanel({ report }: { report: Report }) {
  return (
    <Section
      id="configuration"
      title={t`Configuration`}
      note={t`The exact nginx.conf of each arm. Changes are relative to the baseline.`}
    >
      <ArmConfigs arms={report.arms} baseline={report.analysis.baseline} />
    </Section>
  );
}

function EnvironmentPanel({ host, report }: { host: Report['hosts'][number]; report: Report }) {
  const { name } = host;
  const roles = host.roles.join(', ');
  const builds = report.analysis.arms.flatMap(({ nginx_build }) => nginx_build?.path ?? []);
  return (
    <Section
      id={slug(`environment-${name}`)}
      title={t`Environment: ${name}`}
      note={t`Roles: ${roles}. State at the start of the run.`}
    >
      <StoredInventory inventory={host.inventory} ran={host.roles.includes('target') ? builds : []} />
    </Section>
  );
}

/** What the verdict rests on, and whether it can be trusted. */
function Evidence({ report }: { report: Report }) {
  const { analysis } = report;
  return (
    <>
      <ComparisonPanel report={report} />
      {report.analysis.selection && (
        <SelectionSection report={report} selection={report.analysis.selection} />
      )}
      {report.trials.some(({ summary }) => summary.searches?.length) && (
        <Suspense fallback={<Skeleton height={420} />}>
          <CapacitySection report={report} />
        </Suspense>
      )}
      {analysis.arms.some(({ curve }) => curve) && (
        <Suspense fallback={<Skeleton height={420} />}>
          <CurveSection report={report} />
        </Suspense>
      )}
      {report.sizing && report.sizing.percentiles.length > 0 && (
        <Suspense fallback={<Skeleton height={420} />}>
          <SizingSection report={report} sizing={report.sizing} />
        </Suspense>
      )}
      <Profiles report={report} />
      <BuildsSection report={report} />
      <ThresholdsSection report={report} />
      <FactorsSection analysis={analysis} />
      <StreamTable report={report} />
      <StreamsSection report={report} />
      <ChecksSection checks={analysis.checks} />
      <NotesSection report={report} />
      <Folded value={true}>
        <Details report={report} />
      </Folded>
    </>
  );
}

/** Everything else, which is opened by whoever looks for it. */
function Details({ report }: { report: Report }) {
  return (
    <>
      <BalanceSection arms={report.analysis.arms} />
      <BottleneckSection report={report} />
      <DistributionSection report={report} />
      <ShiftSection report={report} />
      <ActionsSection report={report} />
      <WindowSection report={report} />
      <TimeSection report={report} />
      <InsideSection report={report} />
      <TrialsSection report={report} />
      <NoProfiles report={report} />
      <CostSection report={report} />
      {report.template && <MechanismPanel template={report.template} />}
      <ConfigurationPanel report={report} />
      {report.hosts.map((host) => (
        <EnvironmentPanel key={host.name} host={host} report={report} />
      ))}
      <PlanPanel report={report} />
    </>
  );
}

/** A run's result from top to bottom: what holds is drawn first, and the rest right after it has been seen. */
export function ReportView({ report }: { report: Report }) {
  const { plan } = report.run;
  const isSeen = useDeferredValue(true, false);
  return (
    <WithContents>
      <TimeRangeProvider from={-plan.warmup_s} to={plan.measure_s}>
        <PinProvider>
          <Stack gap="md">
            <VerdictSection report={report} />
            <FindingsSection report={report} />
            {isSeen ? <Evidence report={report} /> : <Skeleton height={320} />}
          </Stack>
        </PinProvider>
      </TimeRangeProvider>
    </WithContents>
  );
}
