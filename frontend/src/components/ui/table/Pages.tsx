import { Group, Pagination } from '@mantine/core';

interface Props {
  /** How many items there are, and how many of them a page shows. */
  total: number;
  size: number;
  /** From 1. */
  page: number;
  onPage: (page: number) => void;
}

const nameOf = (control: string) => ({
  'aria-label': `${control[0]?.toUpperCase()}${control.slice(1)} page`,
});

/** Leads to the other pages of a list; nothing where it has one. */
export function Pages({ total, size, page, onPage }: Props) {
  return total > size ? (
    <Group component="nav" aria-label="Pages" justify="center" p="sm">
      <Pagination
        size="sm"
        total={Math.ceil(total / size)}
        value={page}
        onChange={onPage}
        getControlProps={nameOf}
      />
    </Group>
  ) : null;
}
