import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Panel.module.css';

interface Props {
  title?: ReactNode;
  /** After the title, and no part of it. */
  beside?: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  id?: string;
  /** Tables and lists go edge to edge. */
  flush?: boolean;
  children: ReactNode;
}

export function Panel({ title, beside, note, actions, id, flush = false, children }: Props) {
  return (
    <section id={id} className={classes.panel} data-flush={flush || undefined}>
      {(title || actions) && (
        <div className={classes.panelHead}>
          <div>
            <div className={classes.panelTitle}>
              {title && <Title order={2}>{title}</Title>}
              {beside}
            </div>
            {note && <p className={classes.panelNote}>{note}</p>}
          </div>
          {actions}
        </div>
      )}
      <div className={classes.panelBody}>{children}</div>
    </section>
  );
}
