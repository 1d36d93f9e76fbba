import { Table } from '@mantine/core';

interface Options {
  name: string;
  align?: 'right' | 'center';
  /** Never broken into lines. */
  nowrap?: boolean;
  /** Named for screen readers only. */
  hidden?: boolean;
}

type Column = string | Options;

/** Columns of numbers. */
export const numeric = (...names: string[]): Options[] => names.map((name) => ({ name, align: 'right' }));

function Head({ name, align, nowrap, hidden }: Options) {
  return (
    <Table.Th ta={align} style={nowrap ? { whiteSpace: 'nowrap' } : undefined}>
      {hidden ? <span className="visually-hidden">{name}</span> : name}
    </Table.Th>
  );
}

/** The head of a table: one cell a column. */
export function HeadRow({ columns }: { columns: readonly Column[] }) {
  const all = columns.map((column) => (typeof column === 'string' ? { name: column } : column));
  return (
    <Table.Thead>
      <Table.Tr>
        {all.map((column) => (
          <Head key={column.name} {...column} />
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
