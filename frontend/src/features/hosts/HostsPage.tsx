import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Table } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type HostRow as Host, useHosts } from '@/api/useHosts';
import { useHasRole } from '@/api/useMe';
import { machineText } from '@/components/hosts/machine';
import { StateBadge } from '@/components/states/StateBadge';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { HeadRow } from '@/components/ui/table/HeadRow';
import shared from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { usePageTitle } from '@/lib/usePageTitle';
import { AddHostDialog } from './AddHostDialog';
import { HostBuilds } from './HostBuilds';
import { clockText, heartbeatText } from './health';
import { QueuePanel } from './QueuePanel';

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
