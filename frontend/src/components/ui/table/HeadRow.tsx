import { Table } from '@mantine/core';

/** `hidden` columns have a name for screen readers only. */
type Column = string | { name: string; align?: 'right'; hidden?: boolean };

/** The head of a table: one cell a column. */
export function HeadRow({ columns }: { columns: readonly Column[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column) => {
          const {
            name,
            align = undefined,
            hidden = false,
          } = typeof column === 'string' ? { name: column } : column;
          return hidden ? (
            <Table.Th key={name} aria-label={name} />
          ) : (
            <Table.Th key={name} ta={align}>
              {name}
            </Table.Th>
          );
        })}
      </Table.Tr>
    </Table.Thead>
  );
}
