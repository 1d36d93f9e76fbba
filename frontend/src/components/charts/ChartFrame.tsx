import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { CopyLink } from '@/components/ui/CopyLink';
import classes from './frame.module.css';

interface CaptionProps {
  title: string;
  unit: string;
  description?: string;
  actions?: ReactNode;
}

export function Caption({ title, unit, description, actions }: CaptionProps) {
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

export function chartName(title: string, unit: string): string {
  return unit ? t`${title}, ${unit}` : title;
}

interface Props {
  /** Makes it a part of the page that can be linked. */
  id?: string;
  title: string;
  unit?: string;
  why?: ReactNode;
  tag?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

export function ChartFrame({ id, title, unit = '', why, tag, wide = false, children }: Props) {
  return (
    <figure
      id={id}
      className={classes.figure}
      data-wide={wide || undefined}
      aria-label={chartName(title, unit)}
    >
      <Caption
        title={title}
        unit={unit}
        actions={
          (tag || id) && (
            <>
              {tag}
              {id && <CopyLink id={id} title={title} />}
            </>
          )
        }
      />
      {why && <p className={classes.why}>{why}</p>}
      {children}
    </figure>
  );
}
