import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from '../legend.module.css';
import type { LevelLinesProps } from './LevelLinesCanvas';

const Canvas = lazy(() =>
  import('./LevelLinesCanvas').then((module) => ({ default: module.LevelLinesCanvas })),
);
const HEIGHT = 230;

/** Lines over a number that was varied; dots are means, whiskers reach from the lowest to the highest trial. */
export function LevelLines(props: Omit<LevelLinesProps, 'height'>) {
  return (
    <>
      {props.lines.length > 1 && (
        <ul className={classes.legend}>
          {props.lines.map(({ label, color }) => (
            <li key={label} className={classes.legendEntry}>
              <span className={classes.swatch} style={{ background: color }} />
              {label}
            </li>
          ))}
        </ul>
      )}
      <Suspense fallback={<Skeleton height={HEIGHT} />}>
        <Canvas {...props} height={HEIGHT} />
      </Suspense>
    </>
  );
}
