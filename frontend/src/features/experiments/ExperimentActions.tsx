import { Button, Menu } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDots, IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { Link, useNavigate } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { openRunDialog } from '@/components/runs/openRunDialog';
import { useExperimentRuns } from './api/useExperimentRuns';
import { useUpdateExperiment } from './api/useUpdateExperiment';
import { CloneForm } from './CloneForm';
import { RenameForm } from './RenameForm';

function openRename({ id, name }: ExperimentDetail) {
  modals.open({ title: 'Rename experiment', children: <RenameForm experimentId={id} name={name} /> });
}

export function ExperimentActions({ experiment }: { experiment: ExperimentDetail }) {
  const mayRun = useHasRole('experimenter');
  const navigate = useNavigate();
  const update = useUpdateExperiment(experiment.id);
  const archived = experiment.archived_at !== null;
  const hasRun = (useExperimentRuns(experiment.id).data?.total ?? 0) > 0;
  const title = hasRun ? 'Run again' : 'Run';
  const copyOf =
    experiment.template_key && `/experiments/new/${experiment.template_key}?from=${experiment.id}`;
  const run = () =>
    openRunDialog({
      experimentId: experiment.id,
      definition: experiment.definition,
      title,
      onStarted: ({ id }) => void navigate(`/runs/${id}`),
    });
  const clone = () =>
    modals.open({
      title: 'Clone experiment',
      children: (
        <CloneForm
          experimentId={experiment.id}
          name={experiment.name}
          onCloned={({ id }) => void navigate(`/experiments/${id}/design`)}
        />
      ),
    });
  if (!mayRun) return null;
  return (
    <>
      <Button leftSection={<IconPlayerPlay size={14} />} onClick={run}>
        {title}
      </Button>
      {experiment.may_edit && (
        <Button
          component={Link}
          to={`/experiments/${experiment.id}/design`}
          variant="default"
          leftSection={<IconPencil size={14} />}
        >
          Edit
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px={8} aria-label="More actions">
            <IconDots size={15} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={clone}>Clone</Menu.Item>
          {copyOf && (
            <Menu.Item component={Link} to={copyOf}>
              New with these values
            </Menu.Item>
          )}
          <Menu.Item
            component="a"
            href={`/api/v1/experiments/${experiment.id}/versions/${experiment.version}.yaml`}
          >
            Export YAML
          </Menu.Item>
          <Menu.Item disabled={!experiment.may_edit} onClick={() => openRename(experiment)}>
            Rename
          </Menu.Item>
          <Menu.Item disabled={!experiment.may_edit} onClick={() => update.mutate({ archived: !archived })}>
            {archived ? 'Restore from archive' : 'Archive'}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
