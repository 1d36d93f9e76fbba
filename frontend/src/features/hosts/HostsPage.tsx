import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { listRunsOptions, type RunSummary } from '@/api/generated';
import { type HostRow, useHosts } from '@/api/hosts';
import { useHasRole } from '@/api/session';
import { machineText } from '@/components/hosts/HostSelect';
import { StateBadge } from '@/components/runs/StateBadge';
import { EmptyState } from '@/components/ui/EmptyState';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable, RowLink } from '@/components/ui/table/DataTable';
import { usePageTitle } from '@/lib/usePageTitle';
import { AddHostDialog } from './AddHostDialog';
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

function AddHostButton() {
  const isAdministrator = useHasRole('administrator');
  if (!isAdministrator) return null;
  return (
    <Button
      leftSection={<IconPlus size={14} />}
      onClick={() => modals.open({ title: t`Add a host`, size: 'lg', children: <AddHostDialog /> })}
    >
      <Trans>Add host</Trans>
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
        <Trans>Add a machine with nginx and wrk. It then appears here with its capabilities.</Trans>
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
