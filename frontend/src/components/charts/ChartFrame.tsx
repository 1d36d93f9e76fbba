import type { ReactNode } from 'react';
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
      <figcaption className={classes.caption}>
        <span className={classes.title}>{title}</span>
        <span className={classes.unit}>{unit}</span>
        {tag && <span className={classes.actions}>{tag}</span>}
      </figcaption>
      {why && <p className={classes.why}>{why}</p>}
      {children}
    </figure>
  );
}
