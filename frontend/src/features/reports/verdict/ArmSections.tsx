import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { NginxBuild, Report } from '@/api/generated';
import { type Outcome, OutcomeBadge } from '@/components/runs/RunStates';
import { ServerText } from '@/components/ui/language/ServerText';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import { armColumn } from '../tables';

type Limited = NonNullable<Report['analysis']['arms'][number]['bottleneck']> & { arm: string };

const bottleneckColumns = (arms: Report['arms']): Column<Limited>[] => [
  armColumn(arms),
  {
    name: t`Limited by`,
    nowrap: true,
    cell: ({ resource }) => (resource ? said(resource) : t`none found`),
  },
  {
    name: t({ message: 'In', context: 'trials' }),
    nowrap: true,
    cell: ({ trials, of_trials: all }) => (all > 1 ? t`${trials} of ${all} trials` : t`1 trial`),
  },
  { name: t`Evidence`, cell: ({ evidence }) => <ServerText text={evidence} /> },
];

/** What kept each arm from serving more, with its evidence. */
export function BottleneckSection({ report }: { report: Report }) {
  const limited = report.analysis.arms.flatMap(({ key, bottleneck }) =>
    bottleneck ? [{ ...bottleneck, id: key, arm: key }] : [],
  );
  if (limited.length === 0) return null;
  return (
    <Section
      flush
      id="bottleneck"
      title={t`Bottleneck`}
      note={t`The resource at its limit: by utilisation, saturation and errors (USE method). “None found” names what was measured.`}
    >
      <DataTable columns={bottleneckColumns(report.arms)} rows={limited} minWidth={700} verticalSpacing={4} />
    </Section>
  );
}

const overall = (): Record<Outcome, string> => ({
  pass: t`All thresholds are met: the run passes.`,
  fail: t`Not all thresholds are met: the run fails.`,
  undecided: t`The intervals do not decide every threshold: more blocks may.`,
  not_valid: t`A validity check voids these results: the run neither passes nor fails.`,
});

const thresholdColumns = (arms: Report['arms']): Column<Report['thresholds'][number]>[] => [
  { name: t`Threshold`, cell: ({ text }) => <code>{text}</code> },
  armColumn(arms),
  { name: t`Result`, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  {
    name: t`Observed`,
    look: { c: 'var(--text-dim)' },
    cell: ({ message }) => <ServerText text={message} />,
  },
];

/** What the experiment asks of a run, and whether each arm keeps it. */
export function ThresholdsSection({ report }: { report: Report }) {
  const { thresholds, arms, outcome } = report;
  if (thresholds.length === 0) return null;
  return (
    <Section
      id="thresholds"
      title={t`Thresholds`}
      flush
      note={outcome ? overall()[outcome] : t`Not known yet.`}
    >
      <DataTable
        columns={thresholdColumns(arms)}
        rows={thresholds.map((result) => ({ ...result, id: `${result.text} ${result.arm}` }))}
        minWidth={560}
        verticalSpacing={5}
      />
    </Section>
  );
}

interface ArmBuild {
  arm: string;
  build: NginxBuild | null | undefined;
}

const buildColumns = (arms: Report['arms']): Column<ArmBuild>[] => [
  armColumn(arms),
  { name: t`Build`, cell: ({ build }) => build?.version ?? t`unknown` },
  { name: t`File`, cell: ({ build }) => build && <code>{build.path}</code> },
  { name: t`Checksum`, cell: ({ build }) => build && <code>{build.sha256.slice(0, 12)}</code> },
];

/** Whether builds at different places are one and the same: their arms then differ by chance alone. */
function isOneFile(builds: readonly NginxBuild[]): boolean {
  return new Set(builds.map(({ sha256 }) => sha256)).size < new Set(builds.map(({ path }) => path)).size;
}

/** Which nginx each arm ran, where they ran different ones. */
export function BuildsSection({ report }: { report: Report }) {
  const { arms } = report.analysis;
  const builds = arms.flatMap(({ nginx_build }) => nginx_build ?? []);
  if (new Set(builds.map(({ path }) => path)).size < 2) return null;
  return (
    <Section
      flush
      id="nginx-builds"
      title={t`nginx builds`}
      note={t`The nginx that each arm ran, and the beginning of its file's SHA-256.`}
    >
      {isOneFile(builds) && (
        <Text size="sm" px="md" pb="sm">
          <Trans>
            Some of these files have the same checksum: they are one and the same build, which makes no
            difference between their arms.
          </Trans>
        </Text>
      )}
      <DataTable
        columns={buildColumns(report.arms)}
        rows={arms.map(({ key, nginx_build }) => ({ id: key, arm: key, build: nginx_build }))}
        minWidth={560}
        verticalSpacing={4}
      />
    </Section>
  );
}
