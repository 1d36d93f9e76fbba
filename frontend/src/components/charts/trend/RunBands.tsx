import { DefaultZIndexes, usePlotArea, ZIndexLayer } from 'recharts';
import { bandsOf, type TrendRunAt } from './trend';

interface Props {
  runs: readonly TrendRunAt[];
  onChoose: (run: number) => void;
}

/** Takes clicks on the plot, above all that is drawn, for the run that is nearest in time. By keys, the slider does. */
export function RunBands({ runs, onChoose }: Props) {
  const area = usePlotArea();
  if (!area) return null;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.label + 1}>
      {bandsOf(runs).map(({ run, from, to }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the slider chooses runs by keys
        <rect
          key={run}
          data-run={run}
          x={area.x + from * area.width}
          y={area.y}
          width={(to - from) * area.width}
          height={area.height}
          fill="transparent"
          style={{ cursor: 'pointer' }}
          onClick={() => onChoose(run)}
        />
      ))}
    </ZIndexLayer>
  );
}
