import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
import { DeleteExperimentDialog } from './DeleteExperimentDialog';
import { RenameForm } from './RenameForm';

interface Props {
  experiment: ExperimentDetail;
}

function openRename({ id, name }: ExperimentDetail) {
  modals.open({ title: t`Rename experiment`, children: <RenameForm experimentId={id} name={name} /> });
}

function openClone({ id, name }: ExperimentDetail, onCloned: (copy: ExperimentDetail) => void) {
  modals.open({
    title: t`Clone experiment`,
    children: <CloneForm experimentId={id} name={name} onCloned={onCloned} />,
  });
}

function openDelete({ id }: ExperimentDetail, onDeleted: () => void) {
  const done = () => {
    modals.closeAll();
    onDeleted();
  };
  modals.open({
    title: t`Delete experiment`,
    children: <DeleteExperimentDialog experimentId={id} onKept={() => modals.closeAll()} onDeleted={done} />,
  });
}

function RunButton({ experiment: { id, definition } }: Props) {
  const navigate = useNavigate();
  const hasRun = (useExperimentRuns(id).data?.total ?? 0) > 0;
  const title = hasRun ? t`Run again` : t`Run`;
  const run = () =>
    openRunDialog({
      experimentId: id,
      definition,
      title,
      onStarted: (started) => void navigate(`/runs/${started.id}`),
    });
  return (
    <Button leftSection={<IconPlayerPlay size={14} />} onClick={run}>
      {title}
    </Button>
  );
}

/** The less frequent actions, as items of a menu. */
function MoreItems({ experiment }: Props) {
  const { id, version, template_key, may_edit } = experiment;
  const navigate = useNavigate();
  const update = useUpdateExperiment(id);
  const isArchived = experiment.archived_at !== null;
  const clone = () => openClone(experiment, (copy) => void navigate(`/experiments/${copy.id}/design`));
  return (
    <>
      <Menu.Item onClick={clone}>{t`Clone`}</Menu.Item>
      {template_key && (
        <Menu.Item component={Link} to={`/experiments/new/${template_key}?from=${id}`}>
          <Trans>New with these values</Trans>
        </Menu.Item>
      )}
      <Menu.Item component="a" href={`/api/v1/experiments/${id}/versions/${version}.yaml`}>
        <Trans>Export YAML</Trans>
      </Menu.Item>
      <Menu.Item disabled={!may_edit} onClick={() => openRename(experiment)}>
        <Trans>Rename</Trans>
      </Menu.Item>
      <Menu.Item disabled={!may_edit} onClick={() => update.mutate({ archived: !isArchived })}>
        {isArchived ? t`Restore from archive` : t`Archive`}
      </Menu.Item>
      <Menu.Item
        color="red"
        disabled={!may_edit}
        onClick={() => openDelete(experiment, () => void navigate('/experiments'))}
      >
        <Trans>Delete</Trans>
      </Menu.Item>
    </>
  );
}

export function ExperimentActions({ experiment }: Props) {
  const mayRun = useHasRole('experimenter');
  if (!mayRun) return null;
  return (
    <>
      <RunButton experiment={experiment} />
      {experiment.may_edit && (
        <Button
          component={Link}
          to={`/experiments/${experiment.id}/design`}
          variant="default"
          leftSection={<IconPencil size={14} />}
        >
          <Trans>Edit</Trans>
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px={8} aria-label={t`More actions`}>
            <IconDots size={15} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <MoreItems experiment={experiment} />
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
