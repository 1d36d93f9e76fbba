import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ActionsSummary } from '@/api/generated';
import { HeadRow, numeric } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatMicroseconds, formatNumber } from '@/lib/format';

interface Row {
  /** Which trials they are of, where the table is about several. */
  of?: ReactNode;
  id: string;
  summary: ActionsSummary;
}

const numbers = () =>
  numeric(t({ message: 'Actions', context: 'perturbation' }), t`Failed`, t`Skipped`, t`Mean`, t`Longest`);

const by = () => t({ message: 'By', context: 'host of a perturbation' });
const seconds = (value: number | null) => formatMicroseconds(value === null ? null : value * 1e6);

/** The actions of each perturbation: their number, failures and durations. */
export function ActionsTable({ rows, of }: { rows: readonly Row[]; of?: string }) {
  return (
    <WideTable minWidth={620}>
      <Table verticalSpacing={4}>
        <HeadRow columns={[t`Perturbation`, ...(of ? [of] : []), by(), ...numbers()]} />
        <Table.Tbody>
          {rows.map(({ id, of: whose, summary }) => (
            <Table.Tr key={id}>
              <Table.Td>
                {summary.perturbation}
                {summary.action !== summary.perturbation && ` (${summary.action})`}
              </Table.Td>
              {of && <Table.Td>{whose}</Table.Td>}
              <Table.Td>{summary.host}</Table.Td>
              <Table.Td ta="right">{formatNumber(summary.count)}</Table.Td>
              <Table.Td ta="right" c={summary.failed > 0 ? 'var(--danger)' : undefined}>
                {formatNumber(summary.failed)}
              </Table.Td>
              <Table.Td ta="right">{formatNumber(summary.skipped)}</Table.Td>
              <Table.Td ta="right">{seconds(summary.mean_s)}</Table.Td>
              <Table.Td ta="right">{seconds(summary.max_s)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
