import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from '../components.module.css';

interface Props {
  tone: 'done' | 'danger' | 'waiting';
  icon: Icon;
  children: ReactNode;
}

/** An outcome as a mark and words: never by colour alone. */
export function StateText({ tone, icon: Mark, children }: Props) {
  return (
    <span className={classes.state} data-tone={tone}>
      <Mark size={13} stroke={2.5} aria-hidden />
      {children}
    </span>
  );
}
