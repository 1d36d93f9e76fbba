import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Term.module.css';
import { useAsked } from './useAsked';

interface Props {
  /** In a sentence or two. */
  help: ReactNode;
  /** How it looks, if not as a word of a text. */
  className?: string;
  children: ReactNode;
}

/** A word of the trade that explains itself when asked. */
export function Term({ help, className = classes.term, children }: Props) {
  const { isOpen, asked } = useAsked();
  return (
    <Tooltip label={help} opened={isOpen}>
      <span
        className={className}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation must be reachable by keyboard
        tabIndex={0}
        {...asked}
      >
        {children}
      </span>
    </Tooltip>
  );
}
