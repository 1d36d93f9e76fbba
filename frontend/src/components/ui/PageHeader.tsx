import { t } from '@lingui/core/macro';
import { Anchor, Group, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './PageHeader.module.css';

interface Props {
  title: ReactNode;
  crumbs?: readonly { label: string; to: string }[];
  aside?: ReactNode;
  /** Below the title: facts in a row. */
  meta?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, crumbs = [], aside, meta, actions }: Props) {
  return (
    <header className={classes.pageHeader}>
      <div className={classes.pageHeaderText}>
        {crumbs.length > 0 && (
          <nav aria-label={t`Breadcrumb`} className={classes.crumbs}>
            {crumbs.map(({ label, to }, index) => (
              <Fragment key={to}>
                {index > 0 && <span aria-hidden>/</span>}
                <Anchor component={Link} to={to} size="xs" c="var(--text-dim)">
                  {label}
                </Anchor>
              </Fragment>
            ))}
          </nav>
        )}
        <Group gap="sm" wrap="wrap">
          <Title order={1}>{title}</Title>
          {aside}
        </Group>
        {meta && <div className={classes.meta}>{meta}</div>}
      </div>
      {actions && <div className={`${classes.pageActions} no-print`}>{actions}</div>}
    </header>
  );
}
