import classes from './plots.module.css';

interface Interval {
  estimate: number;
  ci_low: number | null;
  ci_high: number | null;
  scale: 'ratio' | 'difference';
  margin: number;
}

interface Props {
  interval: Interval;
  /** All intervals of the metric, which share one axis. */
  peers: readonly Interval[];
  color: string;
  label: string;
  width?: number;
}

const WIDTH = 180;
const HEIGHT = 22;
const PAD = 6;

/** Ratios on a logarithmic axis, so that twice and half are equally far from 1. */
const place = (value: number, scale: Interval['scale']) =>
  scale === 'ratio' ? Math.log(Math.max(value, 1e-9)) : value;

function reach(peers: readonly Interval[]): number {
  const ends = peers.flatMap(({ estimate, ci_low, ci_high, scale, margin }) => {
    const edge = scale === 'ratio' ? 1 + margin : margin;
    return [estimate, ci_low ?? estimate, ci_high ?? estimate, edge].map((value) =>
      Math.abs(place(value, scale)),
    );
  });
  return Math.max(...ends) * 1.1 || 1;
}

/** An estimate with its 95 % interval around "no change"; the band is the margin within which arms count as equal. */
export function IntervalPlot({ interval, peers, color, label, width = WIDTH }: Props) {
  const { estimate, ci_low, ci_high, scale, margin } = interval;
  const extent = reach(peers);
  const x = (value: number) => width / 2 + (place(value, scale) / extent) * (width / 2 - PAD);
  const [low, high] = scale === 'ratio' ? [1 / (1 + margin), 1 + margin] : [-margin, margin];
  return (
    <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
      <rect
        x={x(low)}
        y={1}
        width={Math.max(1, x(high) - x(low))}
        height={HEIGHT - 2}
        className={classes.margin}
      />
      <line x1={width / 2} x2={width / 2} y1={0} y2={HEIGHT} className={classes.zero} />
      {ci_low !== null && ci_high !== null && (
        <path
          d={`M${x(ci_low)} ${HEIGHT / 2}H${x(ci_high)}M${x(ci_low)} 7v8M${x(ci_high)} 7v8`}
          stroke={color}
          strokeWidth={1.5}
        />
      )}
      <circle cx={x(estimate)} cy={HEIGHT / 2} r={3.5} fill={color} />
    </svg>
  );
}
