import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Term.module.css';

interface Props {
  /** In a sentence or two. */
  help: string;
  children: ReactNode;
}

/** A word of the trade that explains itself when asked: by pointer, by keyboard or by touch. */
export function Term({ help, children }: Props) {
  return (
    <Tooltip label={help} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation must be reachable by keyboard */}
      <span className={classes.term} tabIndex={0}>
        {children}
      </span>
    </Tooltip>
  );
}
