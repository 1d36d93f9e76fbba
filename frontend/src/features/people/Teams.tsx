import { t } from '@lingui/core/macro';
import { Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { itemsOf } from '@/api/client';
import {
  changeTeamMutation,
  createTeamMutation,
  listAccountsOptions,
  listTeamsQueryKey,
  removeTeamMutation,
  type TeamOut,
} from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { useTeams } from '@/components/access/teams';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { type Column, DataTable } from '@/components/ui/table/DataTable';

const REFETCHED = { errorShownInPlace: true, refetches: [listTeamsQueryKey()] };

/** In a dialog: a team's name, and who is in it. */
function TeamForm({ team }: { team?: TeamOut }) {
  const [name, setName] = useState(team?.name ?? '');
  const [members, setMembers] = useState(() => team?.members.map(({ id }) => id) ?? []);
  const { data: people = [] } = useQuery({ ...listAccountsOptions(), select: itemsOf });
  const create = useMutation({ ...createTeamMutation(), meta: REFETCHED });
  const change = useMutation({ ...changeTeamMutation(), meta: REFETCHED });
  const saving = team ? change : create;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const body = { name: name.trim(), members };
    const options = { onSuccess: () => modals.closeAll() };
    if (team) change.mutate({ path: { team_id: team.id }, body }, options);
    else create.mutate({ body }, options);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {saving.error && <ProblemNotice error={saving.error} />}
        <TextInput
          label={t`Name`}
          data-autofocus
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <MultiSelect
          label={t`Members`}
          data={people.map(({ id, email }) => ({ value: id, label: email }))}
          value={members}
          onChange={setMembers}
          searchable
          nothingFoundMessage={t`Nobody has this address.`}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={saving.isPending} disabled={!name.trim()}>
            {team ? t`Save` : t`Create team`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const columns = (remove: (team: TeamOut) => void): Column<TeamOut>[] => [
  { name: t`Name`, look: { miw: 120 }, cell: ({ name }) => name },
  {
    name: t`Members`,
    look: { style: { overflowWrap: 'anywhere' } },
    cell: ({ members }) => members.map(({ email }) => email).join(', ') || t`nobody`,
  },
  {
    name: t`Actions`,
    hidden: true,
    align: 'right',
    nowrap: true,
    cell: (team) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => modals.open({ title: t`Change team`, children: <TeamForm team={team} /> })}
        >
          {t`Change`}
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => remove(team)}>
          {t`Remove`}
        </Button>
      </Group>
    ),
  },
];

/** Teams, and who is in each. */
export function Teams() {
  const teams = useTeams();
  const remove = useMutation({ ...removeTeamMutation(), meta: REFETCHED });
  const ask = ({ id, name }: TeamOut) =>
    askFirst({
      title: t`Remove the team ${name}?`,
      text: t`Nobody loses an account. A team to which experiments or hosts belong is kept.`,
      confirm: t`Remove team`,
      onConfirm: () => remove.mutate({ path: { team_id: id } }),
    });
  const add = () => modals.open({ title: t`Add a team`, children: <TeamForm /> });
  return (
    <QueryView query={teams} skeleton={[120]}>
      {(items) => (
        <Panel
          flush
          title={t`Teams`}
          note={t`An experiment of a team is read by its members only, and a host of a team runs theirs only. What belongs to no team is everybody’s.`}
          actions={
            <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
              {t`Add team`}
            </Button>
          }
        >
          {remove.error && <ProblemNotice error={remove.error} />}
          <DataTable
            columns={columns(ask)}
            rows={items}
            minWidth={560}
            empty={t`There is no team: everybody reads all experiments and may run on all hosts.`}
          />
        </Panel>
      )}
    </QueryView>
  );
}
