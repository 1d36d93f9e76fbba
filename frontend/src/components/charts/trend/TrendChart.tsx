import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { LineLegend } from '../LineLegend';
import type { TrendCanvasProps } from './TrendCanvas';

const Canvas = lazy(() => import('./TrendCanvas').then((module) => ({ default: module.TrendCanvas })));
const HEIGHT = 240;

/** Means of runs over time: dots with whiskers, joined where they can be compared. */
export function TrendChart(props: Omit<TrendCanvasProps, 'height'>) {
  return (
    <>
      <LineLegend lines={props.series} />
      <Suspense fallback={<Skeleton height={HEIGHT} />}>
        <Canvas {...props} height={HEIGHT} />
      </Suspense>
    </>
  );
}
