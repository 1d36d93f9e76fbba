import { Anchor, Button, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { Link, useNavigate, useParams } from 'react-router';
import type { HostDetail } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { StoredInventory } from '@/components/hosts/StoredInventory';
import { StateBadge } from '@/components/states/StateBadge';
import { Facts } from '@/components/ui/Facts';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { usePageTitle } from '@/lib/usePageTitle';
import { useDrainHost } from './api/useDrainHost';
import { useHost } from './api/useHost';
import { useRemoveHost } from './api/useRemoveHost';
import { CalibrationsPanel } from './CalibrationsPanel';
import { CapabilitiesTable } from './CapabilitiesTable';
import { HostAdvice } from './HostAdvice';
import { clockText, heartbeatText, isTrouble } from './health';
import { OwnerPanel } from './OwnerPanel';
import { RenewCredentialDialog } from './RenewCredentialDialog';

function Actions({ host }: { host: HostDetail }) {
  const isAdministrator = useHasRole('administrator');
  const drain = useDrainHost(host.id);
  const remove = useRemoveHost(host.id);
  const navigate = useNavigate();
  if (!isAdministrator) return null;
  const askToRenew = () =>
    modals.open({
      title: `Renew the credential of ${host.name}?`,
      size: 'lg',
      children: <RenewCredentialDialog host={host} />,
    });
  const askToRemove = () =>
    modals.openConfirmModal({
      title: `Remove ${host.name}?`,
      children: (
        <Text size="sm">
          Its credential is revoked immediately. Its past runs and their reports are kept.
        </Text>
      ),
      labels: { confirm: 'Remove host', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(undefined, { onSuccess: () => void navigate('/hosts') }),
    });
  return (
    <>
      <Button variant="default" loading={drain.isPending} onClick={() => drain.mutate(!host.draining)}>
        {host.draining ? 'Accept runs again' : 'Drain'}
      </Button>
      <Button variant="default" onClick={askToRenew}>
        Renew credential
      </Button>
      <Button variant="default" c="var(--danger)" loading={remove.isPending} onClick={askToRemove}>
        Remove
      </Button>
    </>
  );
}

function newRuns({ state, draining }: HostDetail): string {
  if (state === 'conflict') return 'not accepted: several agents use its credential';
  if (state === 'upgrade') return 'not accepted: upgrade needed';
  return draining ? 'not accepted: draining' : 'accepted';
}

function HealthPanel({ host }: { host: HostDetail }) {
  const run = host.run_id && (
    <Anchor component={Link} to={`/runs/${host.run_id}`} underline="always">
      Open the run
    </Anchor>
  );
  return (
    <Panel title="Health">
      <Facts
        rows={[
          ['Heartbeat', heartbeatText(host)],
          ['Clock offset to the server', clockText(host)],
          ['Current run', run || 'none'],
          ['New runs', newRuns(host)],
          ['Agent', `version ${host.agent_version}, protocol ${host.protocol}`],
          ['Joined', <RelativeTime key="joined" iso={host.created_at} />],
        ]}
      />
    </Panel>
  );
}

export default function HostPage() {
  const { hostId = '' } = useParams();
  const query = useHost(hostId);
  usePageTitle(query.data?.name ?? 'Host');
  return (
    <QueryView query={query} skeleton={[48, 100, 300]} wayOut={{ label: 'All hosts', to: '/hosts' }}>
      {(host) => (
        <>
          <PageHeader
            title={host.name}
            crumbs={[{ label: 'Hosts', to: '/hosts' }]}
            aside={<StateBadge state={host.state} />}
            meta={isTrouble(host) ? undefined : host.state_detail}
            actions={<Actions host={host} />}
          />
          <Stack gap="md">
            <HostAdvice host={host} />
            <HealthPanel host={host} />
            <CalibrationsPanel hostId={host.id} />
            {host.inventory && <OwnerPanel caps={host.inventory.caps} />}
            {host.inventory && (
              <Panel title="Capabilities" flush>
                <CapabilitiesTable capabilities={host.inventory.capabilities} />
              </Panel>
            )}
            <Panel title="Inventory" note={<RelativeInventory iso={host.inventory_at} />}>
              <StoredInventory
                inventory={host.inventory}
                remedy="The agent sends it again when it starts: restart it."
              />
            </Panel>
          </Stack>
        </>
      )}
    </QueryView>
  );
}

function RelativeInventory({ iso }: { iso: string }) {
  return (
    <>
      As reported <RelativeTime iso={iso} />.
    </>
  );
}
