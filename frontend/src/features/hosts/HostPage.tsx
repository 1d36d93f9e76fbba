import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Stack, Table, Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import type { Capability, HostCaps, HostDetail } from '@/api/generated';
import { getHostOptions } from '@/api/generated';
import { StoredInventory } from '@/components/hosts/InventoryFacts';
import { StateBadge } from '@/components/runs/StateBadge';
import { CopyField } from '@/components/ui/CopyField';
import { Facts } from '@/components/ui/Facts';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatBytes, formatNumber } from '@/lib/format';
import { usePageTitle } from '@/lib/usePageTitle';
import { CalibrationsPanel } from './CalibrationsPanel';
import { HostActions } from './HostActions';
import { clockText, heartbeatText, isTrouble } from './health';

/** What the host's owner allows, as the agent read it; nobody can change it from here. */
function OwnerPanel({ caps = {} }: { caps?: HostCaps }) {
  return (
    <Panel
      title={t`Owner's caps`}
      note={t`Set by the host's owner in caps.toml, which the server cannot change.`}
    >
      <Facts
        rows={[
          [t`Roles`, caps.roles?.join(', ') || t`none`],
          [t`Load may go to`, targets(caps)],
          [t`Connections of a trial`, most(caps.max_connections, formatNumber)],
          [t`Planned rate of a trial`, most(caps.max_rate_per_s, perSecond)],
          [t`Length of a trial`, most(caps.max_trial_s, (seconds) => `${seconds} s`)],
          [
            t`Memory of a trial`,
            most(caps.max_memory_bytes, formatBytes, t`three quarters of the host's memory`),
          ],
          [t`Processes and threads of a trial`, most(caps.max_processes, formatNumber, '8,192')],
          [t`Files of a trial`, most(caps.max_files_bytes, formatBytes, t`half of the free space`)],
          [t`Lua scripts`, allowed(caps.allow_scripts)],
          [t`nginx without namespaces`, allowed(caps.allow_unsandboxed_nginx)],
          [t`Modules by load_module`, caps.nginx_modules?.join(', ') || t`none`],
          [t`Perturbations of the whole host`, allowed(caps.allow_pressure !== false)],
        ]}
      />
    </Panel>
  );
}

const allowed = (is: boolean | undefined) => (is ? t`allowed` : t`not allowed`);

function perSecond(rate: number): string {
  const number = formatNumber(rate);
  return t`${number} a second`;
}

function most(value: number | null | undefined, written: (value: number) => string, otherwise = t`no cap`) {
  if (value == null) return otherwise;
  const cap = written(value);
  return t`at most ${cap}`;
}

function targets(caps: HostCaps) {
  if (caps.allow_targets == null) return t`not known: update the agent`;
  return [t`itself`, ...caps.allow_targets].join(', ');
}

/** What a host can do, and for what it cannot do, why not and how to fix it. */
function CapabilitiesTable({ capabilities }: { capabilities: readonly Capability[] }) {
  return (
    <WideTable minWidth={480}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t`Capability`}</Table.Th>
            <Table.Th>{t`Available`}</Table.Th>
            <Table.Th>{t`Detail`}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {capabilities.map(({ name, available, detail }) => (
            <Table.Tr key={name}>
              <Table.Td fw={500}>{name}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {available ? <IconCheck size={14} aria-hidden /> : <IconMinus size={14} aria-hidden />}{' '}
                {available ? t`yes` : t`no`}
              </Table.Td>
              <Table.Td c="var(--text-dim)" lang="en">
                {detail}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function UpgradeLine({ command }: { command: string | null }) {
  if (command === null) return null;
  return (
    <>
      <Text size="sm">
        <Trans>Run this line on the host, as root or with sudo. Its credential, caps and data stay.</Trans>
      </Text>
      <CopyField value={command} label={t`upgrade command`} />
    </>
  );
}

function troubleTitle(state: HostDetail['state']): string {
  if (state === 'conflict') return t`Credential in use twice`;
  return state === 'upgrade' ? t`Upgrade needed` : t`Redis cannot be reached`;
}

/** What somebody should do about this host: now where it takes no runs, at leisure where only its agent is older. */
function HostAdvice({ host }: { host: HostDetail }) {
  if (isTrouble(host))
    return (
      <Alert role="alert" variant="light" color="red" title={troubleTitle(host.state)}>
        <Stack gap="xs">
          <ServerText text={host.state_detail} />
          {host.state === 'upgrade' && <UpgradeLine command={host.upgrade_command} />}
        </Stack>
      </Alert>
    );
  if (host.upgrade === null) return null;
  return (
    <Alert role="note" variant="light" color="gray" title={t`Upgrade available`}>
      <Stack gap="xs">
        <ServerText text={host.upgrade} />
        <UpgradeLine command={host.upgrade_command} />
      </Stack>
    </Alert>
  );
}

function newRuns({ state, draining }: HostDetail): string {
  if (state === 'conflict') return t`not accepted: several agents use its credential`;
  if (state === 'upgrade') return t`not accepted: upgrade needed`;
  if (state === 'no-redis') return t`wait: it cannot reach Redis`;
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
  const query = useQuery({ ...getHostOptions({ path: { host_id: hostId } }), refetchInterval: 5000 });
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
