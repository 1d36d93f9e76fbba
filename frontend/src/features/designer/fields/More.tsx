import { Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './More.module.css';

/** What most do not need, folded away; open from the start where something is set. */
export function More({ summary, open, children }: { summary: string; open: boolean; children: ReactNode }) {
  const [openAtFirst] = useState(open);
  return (
    <details className={classes.more} open={openAtFirst}>
      <summary>{summary}</summary>
      <Stack gap="md">{children}</Stack>
    </details>
  );
}
