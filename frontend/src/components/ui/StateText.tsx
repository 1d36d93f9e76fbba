import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './StateText.module.css';

export type Tone = 'active' | 'done' | 'danger' | 'waiting';

interface Props {
  tone: Tone;
  /** A dot where there is none. */
  icon?: Icon;
  title?: string;
  children: ReactNode;
}

/** A state or an outcome as a mark and words: never by colour alone. */
export function StateText({ tone, icon: Mark, title, children }: Props) {
  const dot = tone === 'active' ? `${classes.stateDot} going-on` : classes.stateDot;
  return (
    <span className={classes.state} data-tone={tone} title={title}>
      {Mark ? <Mark size={13} stroke={2.5} aria-hidden /> : <span className={dot} aria-hidden />}
      {children}
    </span>
  );
}
