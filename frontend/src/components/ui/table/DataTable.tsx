import { Table, type TableProps, type TableTdProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Dim } from '../Dim';
import { type Heading, HeadRow } from './HeadRow';
import classes from './rows.module.css';
import { WideTable } from './WideTable';

/** What stands over a column, and what in each of its cells. */
export interface Column<T> extends Heading {
  cell: (row: T) => ReactNode;
  look?: TableTdProps;
}

interface Props<T> extends Omit<TableProps, 'data'> {
  columns: readonly Column<T>[];
  rows: readonly T[];
  minWidth: number;
  /** Whether each row is a link as a whole: one of its cells is a `RowLink`. */
  linked?: boolean;
  /** Said in place of a table without rows. */
  empty?: string;
}

/** Covers its row, so that a click anywhere on it opens the page. */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classes.rowLink}>
      {children}
    </Link>
  );
}

/** A row for each thing, and a cell in each column for what there is to say of it. */
export function DataTable<T extends { id: string | number }>(props: Props<T>) {
  const { columns, rows, minWidth, linked = false, empty, ...table } = props;
  if (empty && rows.length === 0)
    return (
      <Dim px="md" py="sm">
        {empty}
      </Dim>
    );
  return (
    <WideTable minWidth={minWidth}>
      <Table {...table}>
        <HeadRow columns={columns} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id} className={linked ? classes.linkedRow : undefined}>
              {columns.map(({ name, align, nowrap, look, cell, id = name }) => (
                <Table.Td key={id} ta={align} style={nowrap ? { whiteSpace: 'nowrap' } : undefined} {...look}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
