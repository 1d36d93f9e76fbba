import type { ReactNode } from 'react';
import classes from './Tag.module.css';

/** A word in a frame, beside what it qualifies. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>;
}
