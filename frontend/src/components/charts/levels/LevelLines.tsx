import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { LineLegend } from '../LineLegend';
import type { LevelLinesProps } from './LevelLinesCanvas';

const Canvas = lazyPart(() => import('./LevelLinesCanvas').then(({ LevelLinesCanvas }) => LevelLinesCanvas));
const HEIGHT = 230;

/** Lines over a number that was varied; dots are means, whiskers reach from the lowest to the highest trial. */
export function LevelLines(props: Omit<LevelLinesProps, 'height'>) {
  return (
    <>
      {props.lines.length > 1 && <LineLegend lines={props.lines} />}
      <WhenNear height={HEIGHT}>
        <Canvas {...props} height={HEIGHT} />
      </WhenNear>
    </>
  );
}
