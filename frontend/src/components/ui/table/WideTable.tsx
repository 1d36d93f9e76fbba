import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import classes from './wide.module.css';

function useOverflows(ref: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () =>
      setOverflows(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
    const observer = new ResizeObserver(measure);
    for (const each of [element, ...element.children]) observer.observe(each);
    return () => observer.disconnect();
  }, [ref]);
  return overflows;
}

/** Keeps the cells of the table in `ref` named after their columns, whatever rows come and go. */
function useNamedCells(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const name = () => element.querySelectorAll('table').forEach(nameCells);
    const observer = new MutationObserver(name);
    observer.observe(element, { childList: true, subtree: true });
    name();
    return () => observer.disconnect();
  }, [ref]);
}

/** What each column is called, from the cells of a table's head; empty for those that screen readers alone are told. */
function namesOf(head: HTMLTableSectionElement | null): string[] {
  return [...(head?.rows[0]?.cells ?? [])].map((cell) =>
    cell.querySelector('.visually-hidden') ? '' : (cell.textContent ?? ''),
  );
}

/** Says in each cell what its column is called (`data-column`), for where a row is a card and the head is not seen. */
function nameCells(table: HTMLTableElement): void {
  const names = namesOf(table.tHead);
  for (const body of table.tBodies) {
    let covered: number[] = []; // by column, how many more rows a cell above reaches into
    for (const row of body.rows) {
      const reaching = covered.map((rows) => Math.max(0, rows - 1));
      let column = 0;
      for (const cell of row.cells) {
        while ((covered[column] ?? 0) > 0) column += 1;
        const name = names[column] ?? '';
        if (cell.dataset.column !== name) cell.dataset.column = name;
        for (let at = column; at < column + cell.colSpan; at += 1) reaching[at] = cell.rowSpan - 1;
        column += cell.colSpan;
      }
      covered = reaching;
    }
  }
}

/**
 * Scrolls sideways where the page is narrower than `minWidth`; the keyboard reaches it there, and only there. On a phone
 * each row is a card.
 */
export function WideTable({ minWidth, children }: { minWidth: number; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useNamedCells(ref);
  const scrolls = useOverflows(ref) && {
    role: 'group',
    'aria-label': t`Table, scrolls sideways`,
    tabIndex: 0,
  };
  return (
    <Table.ScrollContainer ref={ref} type="native" minWidth={minWidth} className={classes.wide} {...scrolls}>
      {children}
    </Table.ScrollContainer>
  );
}
