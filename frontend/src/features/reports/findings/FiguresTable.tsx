import { t } from '@lingui/core/macro';
import { Table, Text } from '@mantine/core';
import type { FigureRow, Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex, armLabel } from '@/domain/trials';
import { said } from '@/lib/language/serverText';
import tables from '../tables.module.css';
import classes from './FiguresTable.module.css';

function Figure({ row, arms }: { row: FigureRow; arms: Report['arms'] }) {
  const cells = row.cells.filter(({ article, yours }) => article !== null || yours !== null);
  return (
    <Table.Tbody>
      {cells.map((cell, index) => (
        <Table.Tr key={cell.arm}>
          {index === 0 && (
            <Table.Th scope="rowgroup" rowSpan={cells.length} className={classes.figure}>
              {said(row.label)}
              <Text size="xs" c="var(--text-dim)" fw={400}>
                {[row.where, row.note]
                  .filter(Boolean)
                  .map(said)
                  .join(t({ message: '. ', context: 'between sentences' }))}
              </Text>
            </Table.Th>
          )}
          <Table.Td>
            <ArmMark index={armIndex(arms, cell.arm)} label={armLabel(arms, cell.arm)} />
          </Table.Td>
          <Table.Td className={tables.number}>
            {cell.article === null ? <Nothing>{t`not given`}</Nothing> : said(cell.article)}
          </Table.Td>
          <Table.Td className={tables.number}>{cell.yours ?? <Nothing>{t`not measured`}</Nothing>}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}

const Nothing = ({ children }: { children: string }) => (
  <Text span size="xs" c="var(--text-dim)">
    {children}
  </Text>
);

/** What the article published beside what this run measured. */
export function FiguresTable({ rows, arms }: { rows: readonly FigureRow[]; arms: Report['arms'] }) {
  return (
    <WideTable minWidth={560}>
      <Table verticalSpacing={5} className={tables.comparison}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t`Figure`}</Table.Th>
            <Table.Th>{t`Arm`}</Table.Th>
            <Table.Th ta="right">{t`Article`}</Table.Th>
            <Table.Th ta="right">{t`This run`}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        {rows.map((row) => (
          <Figure key={row.label} row={row} arms={arms} />
        ))}
      </Table>
    </WideTable>
  );
}
