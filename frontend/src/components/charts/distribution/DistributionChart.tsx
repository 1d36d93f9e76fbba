import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from '../legend.module.css';
import type { DistributionLine } from './distribution';

const Canvas = lazy(() =>
  import('./DistributionCanvas').then((module) => ({ default: module.DistributionCanvas })),
);
const HEIGHT = 300;

/** Which share of the responses was done within which time: time across (logarithmic), percentiles up. */
export function DistributionChart({ lines }: { lines: readonly DistributionLine[] }) {
  return (
    <figure style={{ margin: 0 }} aria-label="Distribution of latency by arm">
      <ul className={classes.legend}>
        {lines.map((line) => (
          <li key={line.label} className={classes.legendEntry}>
            <span className={classes.swatch} style={{ background: line.color }} />
            {line.label}
          </li>
        ))}
      </ul>
      <Suspense fallback={<Skeleton height={HEIGHT} />}>
        <Canvas lines={lines} height={HEIGHT} />
      </Suspense>
    </figure>
  );
}
