import { t } from '@lingui/core/macro';
import classes from './plots.module.css';

interface Dot {
  block: number;
  value: number;
}

interface Props {
  dots: readonly Dot[];
  /** Smallest and greatest value of the metric over all arms: one axis for all. */
  range: readonly [number, number];
  color: string;
  format: (value: number) => string;
  label: string;
}

const WIDTH = 130;
const HEIGHT = 22;
const PAD = 6;

/** One dot a block: what the mean and the interval rest on. */
export function BlockDots({ dots, range: [low, high], color, format, label }: Props) {
  const span = high - low || 1;
  const x = (value: number) => PAD + ((value - low) / span) * (WIDTH - 2 * PAD);
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <line x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} className={classes.track} />
      {dots.map(({ block, value }) => {
        const reading = format(value);
        return (
          <circle key={block} cx={x(value)} cy={HEIGHT / 2} r={3.5} fill={color} fillOpacity={0.65}>
            <title>{t`block ${block}: ${reading}`}</title>
          </circle>
        );
      })}
    </svg>
  );
}
