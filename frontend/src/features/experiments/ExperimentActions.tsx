import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, List, Menu, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDots, IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { allOf } from '@/api/client';
import {
  cloneExperimentMutation,
  deleteExperimentMutation,
  type ExperimentDetail,
  getExperimentQueryKey,
  listExperimentsQueryKey,
  updateExperimentMutation,
} from '@/api/generated';
import { useHasRole } from '@/api/session';
import { askForTeam, useTeams } from '@/components/access/teams';
import { openRunDialog } from '@/components/runs/RunForm';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { ApiProblem } from '@/lib/problem';
import { useExperimentRuns } from './api';

const REFETCHED = { refetches: [allOf('experiments')] };

interface Props {
  experiment: ExperimentDetail;
}

/** Says what is lost before an experiment is deleted; links that work end only when that is confirmed, too. */
function DeleteExperimentDialog({ experiment: { id }, onDone }: Props & { onDone: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    ...deleteExperimentMutation(),
    meta: { errorShownInPlace: true },
    onSuccess: () => {
      for (const group of ['runs', 'schedules'] as const)
        void queryClient.invalidateQueries({ queryKey: allOf(group), refetchType: 'none' });
      // Its own page is left: asking for it again would be answered with 404.
      void queryClient.invalidateQueries({ queryKey: listExperimentsQueryKey() });
      modals.closeAll();
      onDone();
    },
  });
  const isShared = remove.error instanceof ApiProblem && remove.error.code === 'experiment-shared';
  return (
    <Stack gap="md">
      <Text size="sm">{t`The experiment is deleted for good. There is no undo.`}</Text>
      <List size="sm" spacing={4}>
        <List.Item>{t`All its versions, its schedules and its runs are lost.`}</List.Item>
        <List.Item>{t`So is all that was measured in them: charts, verdicts, reports and kept files.`}</List.Item>
        <List.Item>{t`To only take it out of the lists, archive it.`}</List.Item>
      </List>
      {remove.error && <ProblemNotice error={remove.error} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => modals.closeAll()} data-autofocus>
          <Trans>Keep the experiment</Trans>
        </Button>
        <Button
          color="red"
          loading={remove.isPending}
          onClick={() => remove.mutate({ path: { experiment_id: id }, query: { end_links: isShared } })}
        >
          {isShared ? t`Delete it with its links` : t`Delete the experiment`}
        </Button>
      </Group>
    </Stack>
  );
}

const MAX_LENGTH = 120;

interface NameFormProps {
  initial: string;
  /** The button's label. */
  action: string;
  isPending: boolean;
  onSubmit: (name: string) => void;
}

/** Asks for the name of an experiment, in a dialog. */
function NameForm({ initial, action, isPending, onSubmit }: NameFormProps) {
  const [name, setName] = useState(initial.slice(0, MAX_LENGTH));
  function submit(event: SubmitEvent) {
    event.preventDefault();
    onSubmit(name.trim());
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t`Name`}
          data-autofocus
          maxLength={MAX_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={!name.trim()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Name the copy. */
function CloneForm({
  experiment: { id, name },
  onDone,
}: Props & { onDone: (copy: ExperimentDetail) => void }) {
  const queryClient = useQueryClient();
  const clone = useMutation({
    ...cloneExperimentMutation(),
    meta: REFETCHED,
    onSuccess: (copy) => {
      queryClient.setQueryData(getExperimentQueryKey({ path: { experiment_id: copy.id } }), copy);
    },
  });
  return (
    <NameForm
      initial={t`${name} (copy)`}
      action={t`Clone`}
      isPending={clone.isPending}
      onSubmit={(next) =>
        clone.mutate(
          { path: { experiment_id: id }, body: { name: next } },
          {
            // Not where the dialog has been closed meanwhile.
            onSuccess: (copy) => {
              modals.closeAll();
              onDone(copy);
            },
          },
        )
      }
    />
  );
}

function RenameForm({ experiment: { id, name } }: Props) {
  const update = useMutation({ ...updateExperimentMutation(), meta: REFETCHED });
  return (
    <NameForm
      initial={name}
      action={t`Rename`}
      isPending={update.isPending}
      onSubmit={(next) =>
        update.mutate(
          { path: { experiment_id: id }, body: { name: next } },
          { onSuccess: () => modals.closeAll() },
        )
      }
    />
  );
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

/** The less frequent actions, as items of a menu. Dialogs stand outside of the router, so that this leads on. */
function MoreItems({ experiment }: Props) {
  const { id, version, template_key, may_edit } = experiment;
  const navigate = useNavigate();
  const update = useMutation({ ...updateExperimentMutation(), meta: REFETCHED });
  const isArchived = experiment.archived_at !== null;
  const rename = () =>
    modals.open({ title: t`Rename experiment`, children: <RenameForm experiment={experiment} /> });
  const { data: teams = [] } = useTeams();
  const { name, team } = experiment;
  const give = () =>
    askForTeam(t`Team of ${name}`, {
      team,
      label: t`Who may read it`,
      onChoose: (team_id) => update.mutate({ path: { experiment_id: id }, body: { team_id } }),
    });
  const clone = () => {
    const design = (copy: ExperimentDetail) => void navigate(`/experiments/${copy.id}/design`);
    const children = <CloneForm experiment={experiment} onDone={design} />;
    modals.open({ title: t`Clone experiment`, children });
  };
  const remove = () => {
    const leave = () => void navigate('/experiments');
    const children = <DeleteExperimentDialog experiment={experiment} onDone={leave} />;
    modals.open({ title: t`Delete experiment`, children });
  };
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
      <Menu.Item disabled={!may_edit} onClick={rename}>
        <Trans>Rename</Trans>
      </Menu.Item>
      {(teams.length > 0 || team) && (
        <Menu.Item disabled={!may_edit} onClick={give}>
          {t`Team`}
        </Menu.Item>
      )}
      <Menu.Item
        disabled={!may_edit}
        onClick={() => update.mutate({ path: { experiment_id: id }, body: { archived: !isArchived } })}
      >
        {isArchived ? t`Restore from archive` : t`Archive`}
      </Menu.Item>
      <Menu.Item color="red" disabled={!may_edit} onClick={remove}>
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
