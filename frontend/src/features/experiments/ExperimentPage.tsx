import { Stack } from '@mantine/core';
import { useParams } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { useExperiment } from '@/api/useExperiment';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { usePageTitle } from '@/lib/usePageTitle';
import { DefinitionPanel } from './DefinitionPanel';
import { ExperimentActions } from './ExperimentActions';
import { RunsPanel } from './RunsPanel';
import { SchedulesPanel } from './schedules/SchedulesPanel';
import { VersionsPanel } from './VersionsPanel';

function Meta({ experiment }: { experiment: ExperimentDetail }) {
  return (
    <>
      <span>Version {experiment.version}</span>
      <span>
        created <RelativeTime iso={experiment.created_at} /> by {experiment.created_by}
      </span>
      {experiment.archived_at && <span>archived</span>}
    </>
  );
}

export default function ExperimentPage() {
  const { experimentId = '' } = useParams();
  const query = useExperiment(experimentId);
  usePageTitle(query.data?.name ?? 'Experiment');
  return (
    <QueryView
      query={query}
      skeleton={[48, 180, 260]}
      wayOut={{ label: 'All experiments', to: '/experiments' }}
    >
      {(experiment) => (
        <>
          <PageHeader
            title={experiment.name}
            crumbs={[{ label: 'Experiments', to: '/experiments' }]}
            meta={<Meta experiment={experiment} />}
            actions={<ExperimentActions experiment={experiment} />}
          />
          <Stack gap="md">
            <Panel title="Question">
              <Prose text={experiment.definition.question} />
            </Panel>
            <RunsPanel experimentId={experiment.id} />
            <SchedulesPanel experiment={experiment} />
            <DefinitionPanel experiment={experiment} />
            <Panel
              title="Arms"
              note="The exact nginx.conf of each arm. Changes are relative to the baseline."
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
