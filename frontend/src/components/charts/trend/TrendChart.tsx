import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { LineLegend } from '../LineLegend';
import type { TrendCanvasProps } from './TrendCanvas';

const Canvas = lazyPart(() => import('./TrendCanvas').then(({ TrendCanvas }) => TrendCanvas));
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
