import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
import { said } from '@/lib/language/serverText';
import { usePageTitle } from '@/lib/usePageTitle';
import { DefinitionPanel } from './DefinitionPanel';
import { ExperimentActions } from './ExperimentActions';
import { RunsPanel } from './RunsPanel';
import { SchedulesPanel } from './schedules/SchedulesPanel';
import { VersionsPanel } from './VersionsPanel';

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
      {experiment.archived_at && <span>{t`archived`}</span>}
    </>
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
