import { t } from '@lingui/core/macro';
import { Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import classes from './rows.module.css';

export interface Sort {
  /** `null` where the rows are ordered by another column. */
  direction: 'ascending' | 'descending' | null;
  onSort: () => void;
}

export interface Heading {
  name: string;
  /** Where another column of the table may have the same name. */
  id?: string;
  align?: 'right' | 'center';
  nowrap?: boolean;
  hidden?: boolean;
  sort?: Sort;
}

type Column = string | Heading;

export const numeric = (...names: string[]): Heading[] => names.map((name) => ({ name, align: 'right' }));

function SortButton({ name, sort: { direction, onSort } }: { name: string; sort: Sort }) {
  const Arrow = direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return (
    <UnstyledButton className={classes.sort} onClick={onSort}>
      {name}
      {direction && <Arrow size={12} aria-hidden />}
    </UnstyledButton>
  );
}

function Head({ name, align, nowrap, hidden, sort }: Heading) {
  const plain = hidden ? <span className="visually-hidden">{name}</span> : name;
  return (
    <Table.Th
      ta={align}
      style={nowrap ? { whiteSpace: 'nowrap' } : undefined}
      aria-sort={sort ? (sort.direction ?? 'none') : undefined}
    >
      {sort ? <SortButton name={name} sort={sort} /> : plain}
    </Table.Th>
  );
}

export function HeadRow({ columns }: { columns: readonly Column[] }) {
  const all = columns.map((column) => (typeof column === 'string' ? { name: column } : column));
  const sorts = all.some(({ sort }) => sort);
  return (
    <Table.Thead>
      <Table.Tr data-sorts={sorts ? t`Sort by` : undefined}>
        {all.map((column) => (
          <Head key={column.id ?? column.name} {...column} />
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
