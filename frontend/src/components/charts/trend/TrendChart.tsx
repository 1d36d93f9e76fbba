import { lazy } from 'react';
import { WhenNear } from '@/components/ui/WhenNear';
import { LineLegend } from '../LineLegend';
import type { TrendCanvasProps } from './TrendCanvas';

const Canvas = lazy(() => import('./TrendCanvas').then((module) => ({ default: module.TrendCanvas })));
const HEIGHT = 240;

/** Means of runs over time: dots with whiskers, joined where they can be compared. */
export function TrendChart(props: Omit<TrendCanvasProps, 'height'>) {
  return (
    <>
      <LineLegend lines={props.series} />
      <WhenNear height={HEIGHT}>
        <Canvas {...props} height={HEIGHT} />
      </WhenNear>
    </>
  );
}
