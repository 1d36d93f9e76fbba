import { t } from '@lingui/core/macro';
import { Group, Pagination } from '@mantine/core';

interface Props {
  /** How many items there are, and how many of them a page shows. */
  total: number;
  size: number;
  /** From 1. */
  page: number;
  onPage: (page: number) => void;
}

type Control = 'first' | 'previous' | 'next' | 'last';

const names = (): Record<Control, string> => ({
  first: t`First page`,
  previous: t`Previous page`,
  next: t`Next page`,
  last: t`Last page`,
});

const nameOf = (control: Control) => ({ 'aria-label': names()[control] });

/** Leads to the other pages of a list; nothing where it has one. */
export function Pages({ total, size, page, onPage }: Props) {
  return total > size ? (
    <Group component="nav" aria-label={t`Pages`} justify="center" p="sm">
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
