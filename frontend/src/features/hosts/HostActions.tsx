import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { allOf } from '@/api/client';
import {
  type DeletionUnderWay,
  deleteHostHistoryMutation,
  drainHostMutation,
  getHostHistoryOptions,
  getHostHistoryQueryKey,
  giveHostToTeamMutation,
  type HistoryPart,
  type HostDetail,
  type HostHistory,
  listHostsQueryKey,
  removeHostMutation,
  renewHostCredentialMutation,
} from '@/api/generated';
import { useHasRole } from '@/api/session';
import { askFirst } from '@/components/access/askFirst';
import { askForTeam, useTeams } from '@/components/access/teams';
import { CopyField } from '@/components/ui/CopyField';
import { Dim } from '@/components/ui/Dim';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { formatBytes } from '@/lib/format';
import { formatDateTime } from '@/lib/time';

/** Revokes a host's credential once confirmed, and shows the command that gives its machine a new one. */
function RenewCredentialDialog({ host }: { host: HostDetail }) {
  const path = { host_id: host.id };
  const renew = useMutation({ ...renewHostCredentialMutation(), meta: { refetches: [allOf('hosts')] } });
  const { name } = host;
  if (renew.data) {
    const end = formatDateTime(renew.data.expires_at);
    return (
      <Stack gap="sm">
        <Text size="sm">
          {t`The old credential is revoked. Run this line on the machine that is to remain ${name}, as root or with sudo. It works once.`}
        </Text>
        <CopyField value={renew.data.command} label={t`join command`} />
        <Dim size="xs">{t`Valid until ${end}. The token is not shown again.`}</Dim>
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          Every agent that uses the present credential is locked out immediately, and a trial in progress is
          lost. The host keeps its name, its past runs and its place in the queue, and is offline until its
          machine has joined again with the command that you get next.
        </Trans>
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => modals.closeAll()}>
          {t`Cancel`}
        </Button>
        <Button color="red" loading={renew.isPending} onClick={() => renew.mutate({ path, body: {} })}>
          {t`Renew credential`}
        </Button>
      </Group>
    </Stack>
  );
}

/** Reasons that spare a run, unless the reader includes them. */
const SPARING = ['starred', 'shared', 'others'] as const;
type Sparing = (typeof SPARING)[number];
/** `verdicts`: the runs themselves, not only their raw data. */
type Choice = Record<Sparing | 'verdicts', boolean>;

/** The runs that a choice deletes, and their raw data. */
function chosen(parts: readonly HistoryPart[], choice: Choice) {
  const taken = parts.filter(
    (part) => (choice.verdicts || part.raw) && SPARING.every((sparing) => choice[sparing] || !part[sparing]),
  );
  return {
    runs: taken.reduce((sum, part) => sum + part.runs, 0),
    bytes: taken.reduce((sum, part) => sum + part.raw_bytes, 0),
  };
}

/** The number of runs that a reason spares, alone or together with others. */
function spared(parts: readonly HistoryPart[], sparing: Sparing, choice: Choice): number {
  const own = parts.filter((part) => part[sparing] && (choice.verdicts || part.raw));
  return own.reduce((sum, part) => sum + part.runs, 0);
}

function losses(name: string, verdicts: boolean): string {
  return verdicts
    ? t`The runs on ${name} that are over are deleted for good, with their charts, verdicts, reports, notes and kept files. There is no undo.`
    : t`Raw data of the runs on ${name} that are over is deleted for good: charts over time go; verdicts, figures and kept files stay. There is no undo.`;
}

const also: Record<Sparing, (runs: number) => string> = {
  starred: (runs) => plural(runs, { one: 'Also # starred run', other: 'Also # starred runs' }),
  shared: (runs) => plural(runs, { one: 'Also # run that links show', other: 'Also # runs that links show' }),
  others: (runs) =>
    plural(runs, { one: 'Also # run with other hosts', other: 'Also # runs with other hosts' }),
};

interface ChoiceProps {
  parts: readonly HistoryPart[];
  choice: Choice;
  onChange: (choice: Choice) => void;
}

function Choices({ parts, choice, onChange }: ChoiceProps) {
  const offered = SPARING.filter((sparing) => spared(parts, sparing, choice) > 0);
  return (
    <Stack gap="xs">
      <Checkbox
        label={t`Delete the runs themselves, and the calibrations of this host`}
        checked={choice.verdicts}
        onChange={(event) => onChange({ ...choice, verdicts: event.currentTarget.checked })}
      />
      {offered.map((sparing) => (
        <Checkbox
          key={sparing}
          label={also[sparing](spared(parts, sparing, choice))}
          description={sparing === 'shared' && choice.verdicts ? t`These links stop working.` : undefined}
          checked={choice[sparing]}
          onChange={(event) => onChange({ ...choice, [sparing]: event.currentTarget.checked })}
        />
      ))}
    </Stack>
  );
}

function AmountLine({ parts, choice }: Omit<ChoiceProps, 'onChange'>) {
  const { runs, bytes } = chosen(parts, choice);
  const raw = formatBytes(bytes);
  return (
    <Text size="sm" role="status">
      {plural(runs, { one: `# run, ${raw} of raw data`, other: `# runs, ${raw} of raw data` })}
    </Text>
  );
}

/** Says what is lost, and asks for the host's name. */
function DeleteHistoryForm({ host, history }: { host: HostDetail; history: HostHistory }) {
  const [choice, setChoice] = useState<Choice>({
    verdicts: false,
    starred: false,
    shared: false,
    others: false,
  });
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const path = { host_id: host.id };
  const remove = useMutation({
    ...deleteHostHistoryMutation(),
    meta: { errorShownInPlace: true },
    onSuccess: (after) => {
      queryClient.setQueryData(getHostHistoryQueryKey({ path }), after);
      void queryClient.invalidateQueries({ queryKey: allOf('runs'), refetchType: 'none' });
    },
  });
  const { name } = host;
  const { parts } = history;
  const isAnything = chosen(parts, choice).runs > 0 || (choice.verdicts && history.calibrations > 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate({ path, query: { name: typed, ...choice } });
  };
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <Text size="sm">{losses(name, choice.verdicts)}</Text>
      <Choices parts={parts} choice={choice} onChange={setChoice} />
      <AmountLine parts={parts} choice={choice} />
      <TextInput
        label={t`Type ${name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
      />
      {remove.error && <ProblemNotice error={remove.error} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => modals.closeAll()}>
          {t`Cancel`}
        </Button>
        <Button type="submit" color="red" loading={remove.isPending} disabled={typed !== name || !isAnything}>
          {t`Delete history`}
        </Button>
      </Group>
    </Stack>
  );
}

function UnderWay({ deletion }: { deletion: DeletionUnderWay }) {
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {plural(deletion.runs_left, {
          one: 'It is being deleted: # run is left.',
          other: 'It is being deleted: # runs are left.',
        })}
      </Text>
      <Dim>{t`It goes on in the background, slowly while anything is measured. You may close this.`}</Dim>
    </Stack>
  );
}

/** Deletes what was measured on a host, as far as somebody wants, once its name is typed. */
function DeleteHistoryDialog({ host }: { host: HostDetail }) {
  const query = useQuery({
    ...getHostHistoryOptions({ path: { host_id: host.id } }),
    refetchInterval: ({ state }) => (state.data?.deletion ? 2000 : false),
  });
  return (
    <QueryView query={query} skeleton={[160]}>
      {(history) =>
        history.deletion ? (
          <UnderWay deletion={history.deletion} />
        ) : (
          <DeleteHistoryForm host={host} history={history} />
        )
      }
    </QueryView>
  );
}

function askToRenew(host: HostDetail) {
  const { name } = host;
  modals.open({
    title: t`Renew the credential of ${name}?`,
    size: 'lg',
    children: <RenewCredentialDialog host={host} />,
  });
}

function askToDelete(host: HostDetail) {
  const { name } = host;
  modals.open({
    title: t`Delete the history of ${name}?`,
    children: <DeleteHistoryDialog host={host} />,
  });
}

/** Only where there is a team. */
function TeamButton({ host, onChoose }: { host: HostDetail; onChoose: (teamId: string | null) => void }) {
  const { data: teams = [] } = useTeams();
  const { name, team } = host;
  if (teams.length === 0) return null;
  return (
    <Button
      variant="default"
      onClick={() => askForTeam(t`Team of ${name}`, { team, label: t`Who may run on it`, onChoose })}
    >
      {t`Team`}
    </Button>
  );
}

/** An administrator's actions on a host. */
export function HostActions({ host }: { host: HostDetail }) {
  const isAdministrator = useHasRole('administrator');
  const path = { host_id: host.id };
  const drain = useMutation({ ...drainHostMutation(), meta: { refetches: [allOf('hosts')] } });
  // Not the host itself, which is gone.
  const remove = useMutation({ ...removeHostMutation(), meta: { refetches: [listHostsQueryKey()] } });
  const give = useMutation({ ...giveHostToTeamMutation(), meta: { refetches: [allOf('hosts')] } });
  const navigate = useNavigate();
  if (!isAdministrator) return null;
  const { name } = host;
  const askToRemove = () =>
    askFirst({
      title: t`Remove ${name}?`,
      text: t`Its credential is revoked immediately. Its past runs and their reports are kept; to delete them, delete its history first.`,
      confirm: t`Remove host`,
      onConfirm: () => remove.mutate({ path }, { onSuccess: () => void navigate('/hosts') }),
    });
  return (
    <>
      <Button
        variant="default"
        loading={drain.isPending}
        onClick={() => drain.mutate({ path, body: { draining: !host.draining } })}
      >
        {host.draining ? t`Accept runs again` : t`Drain`}
      </Button>
      <TeamButton host={host} onChoose={(team_id) => give.mutate({ path, body: { team_id } })} />
      <Button variant="default" onClick={() => askToRenew(host)}>
        {t`Renew credential`}
      </Button>
      <Button variant="default" c="var(--danger)" onClick={() => askToDelete(host)}>
        {t`Delete history`}
      </Button>
      <Button variant="default" c="var(--danger)" loading={remove.isPending} onClick={askToRemove}>
        {t`Remove`}
      </Button>
    </>
  );
}
