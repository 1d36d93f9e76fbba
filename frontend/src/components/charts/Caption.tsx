import type { ReactNode } from 'react';
import classes from './frame.module.css';

interface Props {
  title: string;
  unit: string;
  description?: string;
  actions?: ReactNode;
}

/** Above a chart: what it shows, and what can be done to it. */
export function Caption({ title, unit, description, actions }: Props) {
  return (
    <figcaption className={classes.caption}>
      <span className={classes.name}>
        <span className={classes.title} title={description}>
          {title}
        </span>{' '}
        <span className={classes.unit}>{unit}</span>
      </span>
      {actions && <span className={classes.actions}>{actions}</span>}
    </figcaption>
  );
}
