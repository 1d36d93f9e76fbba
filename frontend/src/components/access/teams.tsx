import { t } from '@lingui/core/macro';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { itemsOf } from '@/api/client';
import { listTeamsOptions, type TeamName } from '@/api/generated';
import { useMe } from '@/api/session';

/** The teams that the reader may give something to: their own; for administrators all. */
export function useTeams(enabled = true) {
  return useQuery({ ...listTeamsOptions(), select: itemsOf, enabled });
}

/** Which of these things the reader may use, as far as teams go. */
export function useMayUse(things: readonly { team: TeamName | null }[]): (team: TeamName | null) => boolean {
  const { data: teams = [] } = useTeams(things.some(({ team }) => team !== null));
  const { data: me } = useMe();
  return (team) =>
    team === null || me?.account.role === 'administrator' || teams.some(({ id }) => id === team.id);
}

/** Beside the name of what belongs to it. */
export const ofTeam = ({ name }: TeamName) => t`team ${name}`;

const EVERYBODY = 'everybody';

interface Props {
  team: TeamName | null;
  label: string;
  onChoose: (teamId: string | null) => void;
}

function TeamForm({ team, label, onChoose }: Props) {
  const { data: teams = [] } = useTeams();
  const [chosen, setChosen] = useState(team?.id ?? EVERYBODY);
  const offered = team && !teams.some(({ id }) => id === team.id) ? [...teams, team] : teams;
  return (
    <Stack gap="md">
      <Select
        label={label}
        data={[
          { value: EVERYBODY, label: t`Everybody` },
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={chosen}
        onChange={(value) => setChosen(value ?? EVERYBODY)}
        allowDeselect={false}
        data-autofocus
      />
      <Text size="xs" c="var(--text-dim)">
        {t`Administrators are in every team. Links that were shared go on working.`}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => modals.closeAll()}>
          {t`Cancel`}
        </Button>
        <Button
          onClick={() => {
            onChoose(chosen === EVERYBODY ? null : chosen);
            modals.closeAll();
          }}
        >
          {t`Save`}
        </Button>
      </Group>
    </Stack>
  );
}

/** Asks to which team something belongs. */
export function askForTeam(title: string, form: Props): void {
  modals.open({ title, children: <TeamForm {...form} /> });
}
