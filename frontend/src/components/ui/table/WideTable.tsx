import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { useNamedCells } from './useNamedCells';
import { useOverflows } from './useOverflows';
import classes from './wide.module.css';

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
