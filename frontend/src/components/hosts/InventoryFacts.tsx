import { Stack } from '@mantine/core';
import type { Inventory } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { formatBytes } from '@/lib/format';

const pairs = (record: Record<string, string>) =>
  Object.entries(record).map(([name, value]) => `${name} = ${value}`);

function lines(items: readonly string[]) {
  return items.length === 0 ? null : (
    <Stack gap={0}>
      {items.map((item) => (
        <span key={item}>{item}</span>
      ))}
    </Stack>
  );
}

/** What a host is: hardware, system, software, limits and settings. */
export function InventoryFacts({ inventory }: { inventory: Inventory }) {
  const { cpu, nics, nginx, wrk } = inventory;
  const cores = cpu.physical ? `${cpu.logical} logical, ${cpu.physical} physical` : `${cpu.logical} logical`;
  return (
    <Facts
      rows={[
        ['CPU', `${cpu.model} (${cores}${cpu.mhz ? `, ${Math.round(cpu.mhz)} MHz` : ''})`],
        ['CPU governor', cpu.governor ?? 'not exposed by the kernel'],
        ['Memory', formatBytes(inventory.memory_bytes)],
        ['System', inventory.os],
        ['Kernel', inventory.kernel],
        [
          'nginx',
          lines(
            nginx.map((binary) => `${binary.version}, ${binary.path}, sha256 ${binary.sha256.slice(0, 12)}`),
          ),
        ],
        ['wrk', wrk && `${wrk.version}, ${wrk.path}, sha256 ${wrk.sha256.slice(0, 12)}`],
        [
          'Network',
          lines(
            nics.map(({ name, speed_mbps, addresses, mtu }) =>
              [name, speed_mbps ? `${speed_mbps} Mbit/s` : 'unknown speed', mtu && `MTU ${mtu}`, ...addresses]
                .filter(Boolean)
                .join(', '),
            ),
          ),
        ],
        ['Limits', lines(pairs(inventory.limits))],
        ['Settings', lines(pairs(inventory.settings))],
        ['Agent', `${inventory.agent_version}, Python ${inventory.python}`],
      ]}
    />
  );
}
