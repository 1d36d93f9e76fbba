import { t } from '@lingui/core/macro';
import { Group, Pagination } from '@mantine/core';

/** Says how many a search has found to those who do not see the rows change; nothing until the first answer. */
export function Found({ text }: { text: string | undefined }) {
  return (
    <p role="status" className="visually-hidden">
      {text}
    </p>
  );
}

interface Props {
  /** The number of items, and of items on a page. */
  total: number;
  size: number;
  /** From 1. */
  page: number;
  onPage: (page: number) => void;
}

const names = () => ({
  first: t`First page`,
  previous: t`Previous page`,
  next: t`Next page`,
  last: t`Last page`,
});

/** Leads to the other pages of a list; nothing where it has one. */
export function Pages({ total, size, page, onPage }: Props) {
  return total > size ? (
    <Group component="nav" aria-label={t`Pages`} justify="center" p="sm">
      <Pagination
        size="sm"
        total={Math.ceil(total / size)}
        value={page}
        onChange={onPage}
        getControlProps={(control) => ({ 'aria-label': names()[control] })}
      />
    </Group>
  ) : null;
}
