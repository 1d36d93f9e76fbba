import { t } from '@lingui/core/macro';
import { Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LatencySummary, Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import type { Column } from '@/components/ui/table/DataTable';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex, armLabel } from '@/domain/trials';
import { formatAmong, formatNumber } from '@/lib/format';
import classes from './tables.module.css';

interface ArmProps {
  arms: Report['arms'];
  /** Its key. */
  arm: string;
}

/** One of the report's arms. */
export function ReportArm({ arms, arm }: ArmProps) {
  return <ArmMark index={armIndex(arms, arm)} label={armLabel(arms, arm)} />;
}

/** The arm that a row is about. */
export const armColumn = <T extends { arm: string }>(arms: Report['arms']): Column<T> => ({
  name: t`Arm`,
  cell: ({ arm }) => <ReportArm arms={arms} arm={arm} />,
});

export const figureColumn = <T,>(name: string, cell: (row: T) => ReactNode): Column<T> => ({
  name,
  align: 'right',
  look: { className: classes.number },
  cell,
});

interface Props<G, T> extends Omit<TableProps, 'data'> {
  groups: readonly G[];
  rowsOf: (group: G) => readonly T[];
  /** Each has one cell beside all rows of a group; the first is their heading. */
  groupColumns: readonly Column<G>[];
  columns: readonly Column<T>[];
  minWidth: number;
}

/** A table of groups of rows. */
export function GroupedTable<G extends { id: string }, T extends { id: string }>(props: Props<G, T>) {
  const { groups, rowsOf, groupColumns, columns, minWidth, ...table } = props;
  const groupCells = (group: G, rowSpan: number) =>
    groupColumns.map(({ name, align, look, cell }, place) => {
      const span = { rowSpan, ta: align, valign: 'top' } as const;
      return place === 0 ? (
        <Table.Th key={name} scope="rowgroup" className={look?.className ?? classes.metric} {...span}>
          {cell(group)}
        </Table.Th>
      ) : (
        <Table.Td key={name} {...span}>
          {cell(group)}
        </Table.Td>
      );
    });
  return (
    <WideTable minWidth={minWidth}>
      <Table verticalSpacing={4} {...table}>
        <HeadRow columns={[...groupColumns, ...columns]} />
        {groups.map((group) => (
          <Table.Tbody key={group.id}>
            {rowsOf(group).map((row, place, all) => (
              <Table.Tr key={row.id}>
                {place === 0 && groupCells(group, all.length)}
                {columns.map(({ name, align, look, cell }) => (
                  <Table.Td key={name} ta={align} {...look}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        ))}
      </Table>
    </WideTable>
  );
}

/** As many responses a percentile needs, so that ten lie above it (docs/method-details.md, Histograms). */
const NEEDED = { p99_us: 1000, p999_us: 10_000 } as const;

type Latency = LatencySummary | null | undefined;

/** A percentile, or why it is not shown. `peers`: of the other rows, in whose unit it is written. */
export function Percentile(props: {
  latency: Latency;
  field: keyof typeof NEEDED;
  peers: readonly Latency[];
}) {
  const { latency, field, peers } = props;
  const value = latency?.[field];
  if (!latency || value != null || latency.count >= NEEDED[field])
    return formatAmong(
      value,
      peers.map((one) => one?.[field]),
      'us',
    );
  const [count, needed] = [formatNumber(latency.count), formatNumber(NEEDED[field])];
  return <small className={classes.missing}>{t`only ${count} responses; ${needed} are needed`}</small>;
}
