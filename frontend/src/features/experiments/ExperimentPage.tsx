import { Button, Menu, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDots, IconPlayerPlay } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { useExperiment } from '@/api/useExperiment';
import { useHasRole } from '@/api/useMe';
import { ArmConfigs } from '@/components/ArmConfigs';
import { EmptyState } from '@/components/EmptyState';
import { PageHeader } from '@/components/PageHeader';
import { Panel } from '@/components/Panel';
import { Prose } from '@/components/Prose';
import { QueryView } from '@/components/QueryView';
import { RunsTable } from '@/components/RunsTable';
import { RelativeTime } from '@/components/Time';
import { usePageTitle } from '@/lib/usePageTitle';
import { useUpdateExperiment } from './api/useUpdateExperiment';
import { DefinitionPanel } from './DefinitionPanel';
import { RenameForm } from './RenameForm';
import { RunAgainForm } from './RunAgainForm';

function openRunAgain(experiment: ExperimentDetail) {
  modals.open({ title: 'Run again', children: <RunAgainForm experimentId={experiment.id} /> });
}

function openRename({ id, name }: ExperimentDetail) {
  modals.open({ title: 'Rename experiment', children: <RenameForm experimentId={id} name={name} /> });
}

function Actions({ experiment }: { experiment: ExperimentDetail }) {
  const mayRun = useHasRole('experimenter');
  const update = useUpdateExperiment(experiment.id);
  const archived = experiment.archived_at !== null;
  const copyOf =
    experiment.template_key && `/experiments/new/${experiment.template_key}?from=${experiment.id}`;
  return (
    <>
      {mayRun && (
        <Button leftSection={<IconPlayerPlay size={14} />} onClick={() => openRunAgain(experiment)}>
          {experiment.runs.length > 0 ? 'Run again' : 'Run'}
        </Button>
      )}
      {mayRun && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" px={8} aria-label="More actions">
              <IconDots size={15} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {copyOf && (
              <Menu.Item component={Link} to={copyOf}>
                New with these values
              </Menu.Item>
            )}
            <Menu.Item disabled={!experiment.may_edit} onClick={() => openRename(experiment)}>
              Rename
            </Menu.Item>
            <Menu.Item disabled={!experiment.may_edit} onClick={() => update.mutate({ archived: !archived })}>
              {archived ? 'Restore from archive' : 'Archive'}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}

export default function ExperimentPage() {
  const { experimentId = '' } = useParams();
  const query = useExperiment(experimentId);
  usePageTitle(query.data?.name ?? 'Experiment');
  return (
    <QueryView query={query} skeleton={[48, 180, 260]}>
      {(experiment) => (
        <>
          <PageHeader
            title={experiment.name}
            crumbs={[{ label: 'Experiments', to: '/experiments' }]}
            meta={
              <>
                <span>Version {experiment.version}</span>
                <span>
                  created <RelativeTime iso={experiment.created_at} /> by {experiment.created_by}
                </span>
                {experiment.archived_at && <span>archived</span>}
              </>
            }
            actions={<Actions experiment={experiment} />}
          />
          <Stack gap="md">
            <Panel title="Question">
              <Prose text={experiment.definition.question} />
            </Panel>
            <Panel title="Runs" flush={experiment.runs.length > 0}>
              {experiment.runs.length > 0 ? (
                <RunsTable runs={experiment.runs} />
              ) : (
                <EmptyState title="Not run yet">
                  Each run repeats the whole plan with a fresh random order.
                </EmptyState>
              )}
            </Panel>
            <DefinitionPanel experiment={experiment} />
            <Panel
              title="Arms"
              note="The exact nginx.conf that each arm runs; changes are against the baseline."
            >
              <ArmConfigs arms={experiment.arms} baseline={experiment.definition.baseline} />
            </Panel>
          </Stack>
        </>
      )}
    </QueryView>
  );
}
