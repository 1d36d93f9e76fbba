import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  createEnrolmentTokenMutation,
  type EnrolmentTokenCreated,
  getJoiningOptions,
  type Joining,
  listRunsOptions,
  type RunSummary,
} from '@/api/generated';
import { type HostRow, useHosts } from '@/api/hosts';
import { useHasRole } from '@/api/session';
import { machineText } from '@/components/hosts/HostSelect';
import { StateBadge } from '@/components/runs/StateBadge';
import { CopyField } from '@/components/ui/CopyField';
import { Dim } from '@/components/ui/Dim';
import { EmptyState } from '@/components/ui/EmptyState';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable, RowLink } from '@/components/ui/table/DataTable';
import { formatDateTime } from '@/lib/time';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './HostBuilds.module.css';
import { clockText, heartbeatText } from './health';

const queueColumns = (): Column<RunSummary>[] => [
  {
    name: t`Run`,
    cell: ({ id, experiment_name, number }) => (
      <RowLink to={`/runs/${id}`}>
        {experiment_name} #{number}
      </RowLink>
    ),
  },
  { name: t`Hosts`, cell: ({ hosts }) => [...new Set(hosts)].join(', ') },
  {
    name: t`Waiting for`,
    look: { c: 'var(--text-dim)' },
    cell: ({ state_reason: reason }) => (reason ? <ServerText text={reason} /> : t`Waiting.`),
  },
  { name: t`Since`, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
  { name: t`By`, look: { c: 'var(--text-dim)' }, cell: ({ created_by }) => created_by },
];

/** Runs that wait are among the newest; there is no filter by state. */
const LATEST = 200;

/** Runs that wait for their hosts, in the order in which they were asked for, and why. */
function QueuePanel() {
  const { data: runs = [] } = useQuery({
    ...listRunsOptions({ query: { limit: LATEST } }),
    select: ({ items }) => items.filter(({ state }) => state === 'queued').reverse(),
    refetchInterval: 5000,
  });
  if (runs.length === 0) return null;
  return (
    <Panel
      title={t`Queue`}
      flush
      note={t`A host executes one run at a time. The oldest run that can start goes first.`}
    >
      <DataTable linked columns={queueColumns()} rows={runs} minWidth={640} verticalSpacing={5} />
    </Panel>
  );
}

function given({ bundle }: Joining) {
  if (bundle === null) return '';
  const { python, machine } = bundle;
  return python
    ? t`The agent brings its packages for Python ${python}; with another Python the machine needs a Python package index. Load engines are for ${machine}; other architectures compile them.`
    : t`The agent comes without packages; the machine needs a Python package index. Load engines are for ${machine}; other architectures compile them.`;
}

/** Before a token is made: what a machine must have, and why none could join now. */
function JoiningNotes() {
  const joining = useQuery(getJoiningOptions());
  if (joining.isError) return <ProblemNotice error={joining.error} retry={() => void joining.refetch()} />;
  if (joining.isPending) return <Dim>{t`Asking what this server offers…`}</Dim>;
  const { server } = joining.data;
  return (
    <>
      {joining.data.obstacles.map((obstacle) => (
        <Alert
          key={obstacle}
          role="alert"
          variant="light"
          color="yellow"
          title={t`No other machine can join yet`}
        >
          <InEnglish>{obstacle}</InEnglish>
        </Alert>
      ))}
      <Text size="sm">
        <Trans>
          It needs Debian 12 or Ubuntu 24.04 or newer, root or sudo, curl or wget, and must reach{' '}
          <code>{server}</code>.
        </Trans>{' '}
        {given(joining.data)}
      </Text>
    </>
  );
}

const lifetimes = () => [
  { value: '60', label: t`1 hour` },
  { value: '1440', label: t`1 day` },
  { value: '10080', label: t`7 days` },
];

function Command({ command, expires_at }: EnrolmentTokenCreated) {
  const end = formatDateTime(expires_at);
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          Run this line on the new host, as root or with sudo. It installs the agent as a service, and ends
          with <em>idle</em>. It works once, and may be run again after an error.
        </Trans>
      </Text>
      <CopyField value={command} label={t`join command`} />
      <Dim size="xs">
        <Trans>
          Valid until {end}. The token is not shown again. The script is plain text to read first, and has no
          secret; on the host, <code>ngxlab host status</code> says how it is.
        </Trans>
      </Dim>
    </Stack>
  );
}

/** Makes a one-time token and shows the command that joins a host with it. */
function AddHostDialog() {
  const [minutes, setMinutes] = useState('60');
  const create = useMutation(createEnrolmentTokenMutation());
  if (create.data) return <Command {...create.data} />;
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          A host joins with a one-time token and receives its own credential. It then accepts runs from this
          server.
        </Trans>
      </Text>
      <JoiningNotes />
      <Select
        label={t`The token is valid for`}
        data={lifetimes()}
        value={minutes}
        onChange={(value) => value && setMinutes(value)}
        allowDeselect={false}
      />
      <Group justify="flex-end">
        <Button
          loading={create.isPending}
          onClick={() => create.mutate({ body: { expires_in_minutes: Number(minutes) } })}
        >
          {t`Create token`}
        </Button>
      </Group>
    </Stack>
  );
}

function AddHostButton() {
  const isAdministrator = useHasRole('administrator');
  if (!isAdministrator) return null;
  return (
    <Button
      leftSection={<IconPlus size={14} />}
      onClick={() => modals.open({ title: t`Add a host`, size: 'lg', children: <AddHostDialog /> })}
    >
      {t`Add host`}
    </Button>
  );
}

/** The builds of nginx that a host has, by name; where there are several, also where each lies. */
function HostBuilds({ nginx }: HostRow) {
  if (nginx.length === 0) return t`none`;
  return nginx.map(({ name, path, version }) => (
    <div key={path} className={classes.build} title={path}>
      {name === path ? version : name}
      {nginx.length > 1 && <small>{path}</small>}
    </div>
  ));
}

const columns = (): Column<HostRow>[] => [
  { name: t`Name`, cell: ({ id, name }) => <RowLink to={`/hosts/${id}`}>{name}</RowLink> },
  { name: t`State`, cell: ({ state, state_detail }) => <StateBadge state={state} title={state_detail} /> },
  { name: t`Heartbeat`, cell: heartbeatText },
  { name: t`Clock offset`, cell: clockText },
  { name: t`Machine`, cell: machineText },
  { name: 'nginx', cell: HostBuilds },
  { name: 'wrk', cell: ({ wrk_version }) => wrk_version ?? t`none` },
];

function NoHosts() {
  return (
    <Panel>
      <EmptyState title={t`No hosts yet`} action={<AddHostButton />}>
        {t`Add a machine with nginx and wrk. It then appears here with its capabilities.`}
      </EmptyState>
    </Panel>
  );
}

export default function HostsPage() {
  usePageTitle(t`Hosts`);
  const hosts = useHosts();
  return (
    <>
      <PageHeader
        title={t`Hosts`}
        meta={t`Machines that run nginx and the load generators.`}
        actions={<AddHostButton />}
      />
      <QueryView query={hosts} skeleton={[220]}>
        {(items) =>
          items.length === 0 ? (
            <NoHosts />
          ) : (
            <Stack gap="md">
              <Panel flush>
                <DataTable linked columns={columns()} rows={items} minWidth={720} />
              </Panel>
              <QueuePanel />
            </Stack>
          )
        }
      </QueryView>
    </>
  );
}
