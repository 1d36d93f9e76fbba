import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Stack } from '@mantine/core';
import { Link, useParams } from 'react-router';
import type { HostDetail } from '@/api/generated';
import { StoredInventory } from '@/components/hosts/StoredInventory';
import { StateBadge } from '@/components/states/StateBadge';
import { Facts } from '@/components/ui/Facts';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { usePageTitle } from '@/lib/usePageTitle';
import { useHost } from './api/useHost';
import { CalibrationsPanel } from './CalibrationsPanel';
import { CapabilitiesTable } from './CapabilitiesTable';
import { HostActions } from './HostActions';
import { HostAdvice } from './HostAdvice';
import { clockText, heartbeatText, isTrouble } from './health';
import { OwnerPanel } from './OwnerPanel';

function newRuns({ state, draining }: HostDetail): string {
  if (state === 'conflict') return t`not accepted: several agents use its credential`;
  if (state === 'upgrade') return t`not accepted: upgrade needed`;
  return draining ? t`not accepted: draining` : t`accepted`;
}

function HealthPanel({ host }: { host: HostDetail }) {
  const { agent_version: version, protocol } = host;
  const run = host.run_id && (
    <Anchor component={Link} to={`/runs/${host.run_id}`} underline="always">
      <Trans>Open the run</Trans>
    </Anchor>
  );
  return (
    <Panel title={t`Health`}>
      <Facts
        rows={[
          [t`Heartbeat`, heartbeatText(host)],
          [t`Clock offset to the server`, clockText(host)],
          [t`Current run`, run || t`none`],
          [t`New runs`, newRuns(host)],
          [t`Agent`, t`version ${version}, protocol ${protocol}`],
          [t`Joined`, <RelativeTime key="joined" iso={host.created_at} />],
        ]}
      />
    </Panel>
  );
}

export default function HostPage() {
  const { hostId = '' } = useParams();
  const query = useHost(hostId);
  usePageTitle(query.data?.name ?? t`Host`);
  return (
    <QueryView query={query} skeleton={[48, 100, 300]} wayOut={{ label: t`All hosts`, to: '/hosts' }}>
      {(host) => (
        <>
          <PageHeader
            title={host.name}
            crumbs={[{ label: t`Hosts`, to: '/hosts' }]}
            aside={<StateBadge state={host.state} />}
            meta={isTrouble(host) ? undefined : <InEnglish>{host.state_detail}</InEnglish>}
            actions={<HostActions host={host} />}
          />
          <Stack gap="md">
            <HostAdvice host={host} />
            <HealthPanel host={host} />
            <CalibrationsPanel hostId={host.id} />
            {host.inventory && <OwnerPanel caps={host.inventory.caps} />}
            {host.inventory && (
              <Panel title={t`Capabilities`} flush>
                <CapabilitiesTable capabilities={host.inventory.capabilities} />
              </Panel>
            )}
            <Panel title={t`Inventory`} note={<RelativeInventory iso={host.inventory_at} />}>
              <StoredInventory
                inventory={host.inventory}
                remedy={t`The agent sends it again when it starts: restart it.`}
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
    <Trans>
      As reported <RelativeTime iso={iso} />.
    </Trans>
  );
}
