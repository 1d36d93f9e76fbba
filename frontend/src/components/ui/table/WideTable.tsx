import { Table } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { useOverflows } from './useOverflows';

/** Scrolls sideways where the page is narrower than `minWidth`; the keyboard reaches it there, and only there. */
export function WideTable({ minWidth, children }: { minWidth: number; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const scrolls = useOverflows(ref) && {
    role: 'group',
    'aria-label': 'Table, scrolls sideways',
    tabIndex: 0,
  };
  return (
    <Table.ScrollContainer ref={ref} type="native" minWidth={minWidth} {...scrolls}>
      {children}
    </Table.ScrollContainer>
  );
}
