import type { ReactNode } from 'react';
import { Caption } from './Caption';
import classes from './frame.module.css';

interface Props {
  title: string;
  unit?: string;
  /** What to look for. */
  why?: ReactNode;
  tag?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

/** Title, unit and purpose around a chart. */
export function ChartFrame({ title, unit = '', why, tag, wide = false, children }: Props) {
  return (
    <figure
      className={classes.figure}
      data-wide={wide || undefined}
      aria-label={`${title}${unit ? `, ${unit}` : ''}`}
    >
      <Caption title={title} unit={unit} actions={tag} />
      {why && <p className={classes.why}>{why}</p>}
      {children}
    </figure>
  );
}
