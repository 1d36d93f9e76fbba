import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Inventory } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { Tag } from '@/components/ui/Tag';
import { formatBytes } from '@/lib/format';

const pairs = (record: Record<string, string>) =>
  Object.entries(record).map(([name, value]) => `${name} = ${value}`);

function lines(items: readonly ReactNode[]) {
  return items.length === 0 ? null : (
    <Stack gap={0}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text
        <span key={index}>{item}</span>
      ))}
    </Stack>
  );
}

function nicText({ name, speed_mbps, addresses, mtu }: Inventory['nics'][number]): string {
  const speed = speed_mbps ? `${speed_mbps} Mbit/s` : t`unknown speed`;
  return [name, speed, mtu && `MTU ${mtu}`, ...addresses].filter(Boolean).join(', ');
}

/** The builds of nginx on a host; which of several trials ran, by their paths, is said. */
const builds = (nginx: Inventory['nginx'], ran: readonly string[]) =>
  lines(
    nginx.map(({ version, path, sha256 }) => [
      `${version}, ${path}, sha256 ${sha256.slice(0, 12)} `,
      nginx.length > 1 && ran.includes(path) && <Tag key={path}>{t`this one ran`}</Tag>,
    ]),
  );

interface Props {
  inventory: Inventory | null;
  remedy?: string;
  /** The builds of nginx that trials ran there, by their paths. */
  ran?: readonly string[];
}

/** The facts of a host, or that the stored ones cannot be read, and what helps. */
export function StoredInventory({ inventory, remedy, ran = [] }: Props) {
  if (inventory === null)
    return (
      <Text size="sm" c="dimmed">
        <Trans>The stored inventory cannot be read.</Trans> {remedy}
      </Text>
    );
  const { cpu, nics, nginx, wrk } = inventory;
  const { logical, physical } = cpu;
  const cores = physical ? t`${logical} logical, ${physical} physical` : t`${logical} logical`;
  return (
    <Facts
      rows={[
        ['CPU', `${cpu.model} (${cores}${cpu.mhz ? `, ${Math.round(cpu.mhz)} MHz` : ''})`],
        [t`CPU governor`, cpu.governor ?? t`not exposed by the kernel`],
        [t`Memory`, formatBytes(inventory.memory_bytes)],
        [t`System`, inventory.os],
        [t`Kernel`, inventory.kernel],
        ['nginx', builds(nginx, ran)],
        ['wrk', wrk && `${wrk.version}, ${wrk.path}, sha256 ${wrk.sha256.slice(0, 12)}`],
        [t`Network`, lines(nics.map(nicText))],
        [t`Limits`, lines(pairs(inventory.limits))],
        [t`Settings`, lines(pairs(inventory.settings))],
        [t`Agent`, `${inventory.agent_version}, Python ${inventory.python}`],
      ]}
    />
  );
}
