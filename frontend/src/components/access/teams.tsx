import { t } from '@lingui/core/macro';
import { Button, Group, Select, type SelectProps, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { itemsOf } from '@/api/client';
import { listTeamsOptions, type TeamName } from '@/api/generated';
import { useMe } from '@/api/session';
import { Dim } from '@/components/ui/Dim';

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

interface ChoiceProps extends Pick<SelectProps, 'label' | 'w'> {
  teams: readonly TeamName[];
  'data-autofocus'?: boolean;
  /** The id of a team; null is everybody. */
  chosen: string | null;
  onChoose: (teamId: string | null) => void;
}

function TeamSelect({ teams, chosen, onChoose, ...looks }: ChoiceProps) {
  return (
    <Select
      data={[
        { value: EVERYBODY, label: t`Everybody` },
        ...teams.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={chosen ?? EVERYBODY}
      onChange={(value) => onChoose(value === EVERYBODY ? null : value)}
      allowDeselect={false}
      {...looks}
    />
  );
}

/** Who may read what is about to be made. Nothing where the reader is in no team: then it is everybody. */
export function ReadersSelect(props: Omit<ChoiceProps, 'teams'>) {
  const { data: teams = [] } = useTeams();
  return teams.length > 0 ? <TeamSelect teams={teams} {...props} /> : null;
}

interface Props {
  team: TeamName | null;
  label: string;
  onChoose: (teamId: string | null) => void;
}

function TeamForm({ team, label, onChoose }: Props) {
  const { data: teams = [] } = useTeams();
  const [chosen, setChosen] = useState(team?.id ?? null);
  const offered = team && !teams.some(({ id }) => id === team.id) ? [...teams, team] : teams;
  return (
    <Stack gap="md">
      <TeamSelect label={label} teams={offered} chosen={chosen} onChoose={setChosen} data-autofocus />
      <Dim size="xs">{t`Administrators are in every team. Links that were shared go on working.`}</Dim>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => modals.closeAll()}>
          {t`Cancel`}
        </Button>
        <Button
          onClick={() => {
            onChoose(chosen);
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
