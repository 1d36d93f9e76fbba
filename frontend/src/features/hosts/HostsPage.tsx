import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Table } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { RunSummary } from '@/api/generated';
import { listRunsOptions } from '@/api/generated';
import { type HostRow as Host, useHosts } from '@/api/hosts';
import { useHasRole } from '@/api/session';
import { machineText } from '@/components/hosts/HostSelect';
import { StateBadge } from '@/components/runs/StateBadge';
import { EmptyState } from '@/components/ui/EmptyState';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import shared from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { usePageTitle } from '@/lib/usePageTitle';
import { AddHostDialog } from './AddHostDialog';
import { HostBuilds } from './HostBuilds';
import { clockText, heartbeatText } from './health';

function Row({ run }: { run: RunSummary }) {
  return (
    <Table.Tr className={shared.linkedRow}>
      <Table.Td>
        <Link to={`/runs/${run.id}`} className={shared.rowLink}>
          {run.experiment_name} #{run.number}
        </Link>
      </Table.Td>
      <Table.Td>{[...new Set(run.hosts)].join(', ')}</Table.Td>
      <Table.Td c="var(--text-dim)">
        {run.state_reason ? <ServerText text={run.state_reason} /> : t`Waiting.`}
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={run.created_at} />
      </Table.Td>
      <Table.Td c="var(--text-dim)">{run.created_by}</Table.Td>
    </Table.Tr>
  );
}

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
      <WideTable minWidth={640}>
        <Table verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t`Run`}</Table.Th>
              <Table.Th>{t`Hosts`}</Table.Th>
              <Table.Th>{t`Waiting for`}</Table.Th>
              <Table.Th>{t`Since`}</Table.Th>
              <Table.Th>{t`By`}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
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

function HostRow({ host }: { host: Host }) {
  return (
    <Table.Tr className={shared.linkedRow}>
      <Table.Td>
        <Link to={`/hosts/${host.id}`} className={shared.rowLink}>
          {host.name}
        </Link>
      </Table.Td>
      <Table.Td>
        <StateBadge state={host.state} title={host.state_detail} />
      </Table.Td>
      <Table.Td>{heartbeatText(host)}</Table.Td>
      <Table.Td>{clockText(host)}</Table.Td>
      <Table.Td>{machineText(host)}</Table.Td>
      <Table.Td>
        <HostBuilds nginx={host.nginx} />
      </Table.Td>
      <Table.Td>{host.wrk_version ?? t`none`}</Table.Td>
    </Table.Tr>
  );
}

const columns = () => [t`Name`, t`State`, t`Heartbeat`, t`Clock offset`, t`Machine`, 'nginx', 'wrk'];

function HostsTable({ hosts }: { hosts: readonly Host[] }) {
  return (
    <WideTable minWidth={720}>
      <Table>
        <HeadRow columns={columns()} />
        <Table.Tbody>
          {hosts.map((host) => (
            <HostRow key={host.id} host={host} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

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
                <HostsTable hosts={items} />
              </Panel>
              <QueuePanel />
            </Stack>
          )
        }
      </QueryView>
    </>
  );
}
