import { Trans } from '@lingui/react/macro';
import { Fragment } from 'react';
import type { TrialSource } from '@/components/charts/series/lines';
import { namesOf, type Shown } from './ArmsChart';
import classes from './TimeSection.module.css';

/** In one line what stayed at zero: a chart of it would have nothing to show. Links to such a chart lead here. */
export function NothingIn({ charts, sources }: { charts: Shown[]; sources: readonly TrialSource[] }) {
  if (charts.length === 0) return null;
  const names = charts.map((chart, index) => {
    const { title, id } = namesOf(chart, sources);
    return (
      <Fragment key={id}>
        {index > 0 && ', '}
        <span id={id}>{title}</span>
      </Fragment>
    );
  });
  return (
    <p className={classes.nothing}>
      <Trans>Nothing happened in: {names}.</Trans>
    </p>
  );
}
