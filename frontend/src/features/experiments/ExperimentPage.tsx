import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useExperiment } from '@/api/experiments';
import type { ExperimentDetail, RunSummary } from '@/api/generated';
import { ofTeam } from '@/components/access/teams';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { ArmMark } from '@/components/experiments/ArmMark';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { CompareChosen, useSelection } from '@/components/runs/CompareChosen';
import { RunsTable } from '@/components/runs/RunsTable';
import { EmptyState } from '@/components/ui/EmptyState';
import { Facts } from '@/components/ui/Facts';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { thresholdText } from '@/domain/thresholds';
import { said } from '@/lib/language/serverText';
import { usePageTitle } from '@/lib/usePageTitle';
import { useExperimentRuns } from './api';
import { describePerturbation, describeStream, describeUpstreamServer, shown } from './describe';
import { ExperimentActions } from './ExperimentActions';
import { SchedulesPanel } from './SchedulesPanel';
import { VersionsPanel } from './VersionsPanel';

/** Leads to the trends of an experiment, where there are two runs or more to see one. */
function TrendsButton({ experimentId, runs }: { experimentId: string; runs: readonly RunSummary[] }) {
  if (runs.filter(({ state }) => state === 'completed').length < 2) return null;
  return (
    <Button
      component={Link}
      to={`/experiments/${experimentId}/trends`}
      variant="default"
      size="sm"
      leftSection={<IconChartLine size={14} />}
    >
      <Trans>Trends</Trans>
    </Button>
  );
}

const newestOf = (count: number, total: number) =>
  total > count ? t`The newest ${count} of ${total}.` : undefined;

/** The experiment's runs, newest first. */
function RunsPanel({ experimentId }: { experimentId: string }) {
  const selection = useSelection();
  return (
    <QueryView query={useExperimentRuns(experimentId)} skeleton={[180]}>
      {({ items, total }) => (
        <Panel
          title={t`Runs`}
          flush={items.length > 0}
          actions={
            <Group gap="xs">
              <CompareChosen chosen={selection.chosen} />
              <TrendsButton experimentId={experimentId} runs={items} />
            </Group>
          }
          note={newestOf(items.length, total)}
        >
          {items.length > 0 ? (
            <RunsTable runs={items} selection={selection} />
          ) : (
            <EmptyState title={t`Not run yet`}>
              <Trans>Each run repeats the whole plan in a new random order.</Trans>
            </EmptyState>
          )}
        </Panel>
      )}
    </QueryView>
  );
}

function Meta({ experiment }: { experiment: ExperimentDetail }) {
  const { version, created_by: person } = experiment;
  const since = <RelativeTime iso={experiment.created_at} />;
  return (
    <>
      <span>{t`Version ${version}`}</span>
      <span>
        <Trans>
          created {since} by {person}
        </Trans>
      </span>
      {experiment.team && <span>{ofTeam(experiment.team)}</span>}
      {experiment.archived_at && <span>{t`archived`}</span>}
    </>
  );
}

type Row = readonly [string, ReactNode];

/** One line each; no row where there is none. */
const listed = (name: string, lines: readonly ReactNode[]): Row[] =>
  lines.length === 0
    ? []
    : [
        [
          name,
          <Stack key={name} gap={2} mt={2}>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text
              <span key={index}>{line}</span>
            ))}
          </Stack>,
        ],
      ];

function armMarks({ arms, definition }: ExperimentDetail) {
  return arms.map(({ key, label }, index) => (
    <ArmMark key={key} index={index} label={label} baseline={key === definition.baseline} />
  ));
}

function rowsOf(experiment: ExperimentDetail): Row[] {
  const {
    nginx,
    streams,
    upstream_servers = [],
    perturbations = [],
    thresholds = [],
    plan,
  } = experiment.definition;
  return [
    ...listed(t`Arms`, armMarks(experiment)),
    [t`nginx workers`, shown(nginx.workers)],
    [t`Connections per worker`, shown(nginx.worker_connections)],
    ...listed(
      t`Streams`,
      streams.map((one) => describeStream(one, streams.length > 1)),
    ),
    ...listed(t`Upstream servers`, upstream_servers.map(describeUpstreamServer)),
    ...listed(t`Perturbations`, perturbations.map(describePerturbation)),
    ...listed(
      t`Thresholds`,
      thresholds.map(thresholdText).map((text) => <code key={text}>{text}</code>),
    ),
    [t`Sampling interval`, `${plan.interval_ms ?? 1000} ms`],
  ];
}

/** The versioned definition: what is compared, under which load, by which plan. */
function DefinitionPanel({ experiment }: { experiment: ExperimentDetail }) {
  const { version } = experiment;
  return (
    <Panel title={t`Definition, version ${version}`}>
      <Stack gap="lg">
        <Facts rows={rowsOf(experiment)} />
        <PlanTimeline plan={experiment.plan} showFinish={false} />
      </Stack>
    </Panel>
  );
}

export default function ExperimentPage() {
  const { experimentId = '' } = useParams();
  const query = useExperiment(experimentId);
  usePageTitle(query.data?.name ?? t`Experiment`);
  return (
    <QueryView
      query={query}
      skeleton={[48, 180, 260]}
      wayOut={{ label: t`All experiments`, to: '/experiments' }}
    >
      {(experiment) => (
        <>
          <PageHeader
            title={experiment.name}
            crumbs={[{ label: t`Experiments`, to: '/experiments' }]}
            meta={<Meta experiment={experiment} />}
            actions={<ExperimentActions experiment={experiment} />}
          />
          <Stack gap="md">
            <Panel title={t`Question`}>
              <Prose text={said(experiment.definition.question)} />
            </Panel>
            <RunsPanel experimentId={experiment.id} />
            <SchedulesPanel experiment={experiment} />
            <DefinitionPanel experiment={experiment} />
            <Panel
              title={t`Arms`}
              note={t`The exact nginx.conf of each arm. Changes are relative to the baseline.`}
            >
              <ArmConfigs arms={experiment.arms} baseline={experiment.definition.baseline} />
            </Panel>
            <VersionsPanel experiment={experiment} />
          </Stack>
        </>
      )}
    </QueryView>
  );
}
