import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { Capability } from '@/api/generated';
import { WideTable } from '@/components/ui/table/WideTable';

/** What a host can do, and for what it cannot do, why not and how to fix it. */
export function CapabilitiesTable({ capabilities }: { capabilities: readonly Capability[] }) {
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
