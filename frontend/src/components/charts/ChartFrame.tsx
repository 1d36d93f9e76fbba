import type { ReactNode } from 'react';
import { CopyLink } from '@/components/ui/CopyLink';
import { Caption } from './Caption';
import { chartName } from './chartName';
import classes from './frame.module.css';

interface Props {
  /** Makes it a part of the page that can be linked. */
  id?: string;
  title: string;
  unit?: string;
  /** What to look for. */
  why?: ReactNode;
  tag?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

/** Title, unit and purpose around a chart. */
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
