import classes from './plots.module.css';

interface Bar {
  key: string;
  label: string;
  color: string;
  /** `null` while there is none. */
  mean: number | null;
  values: readonly number[];
}

interface Props {
  bars: readonly Bar[];
  format: (value: number) => string;
}

const worded = ({ mean }: Bar, format: Props['format']) => (mean === null ? '–' : format(mean));

const WIDTH = 300;
const HEIGHT = 26;
const PAD = 5;

interface BarProps extends Omit<Props, 'bars'> {
  bar: Bar;
  x: (value: number) => number;
}

function BarPlot({ bar, x, format }: BarProps) {
  const { label, color, mean, values } = bar;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${worded(bar, format)}`}
    >
      <rect
        x={0}
        y={5}
        width={x(mean ?? 0)}
        height={HEIGHT - 10}
        fill={color}
        className={classes.armBarFill}
      />
      {values.length > 1 && (
        <line
          x1={x(Math.min(...values))}
          x2={x(Math.max(...values))}
          y1={HEIGHT / 2}
          y2={HEIGHT / 2}
          className={classes.armBarRange}
          vectorEffect="non-scaling-stroke"
        />
      )}
      {values.map((value, index) => (
        <line
          // biome-ignore lint/suspicious/noArrayIndexKey: trials have no other identity here
          key={index}
          x1={x(value)}
          x2={x(value)}
          y1={HEIGHT / 2 - 4}
          y2={HEIGHT / 2 + 4}
          className={classes.armBarTrial}
          vectorEffect="non-scaling-stroke"
        >
          <title>{format(value)}</title>
        </line>
      ))}
    </svg>
  );
}

/** A bar for each arm's mean, with a dot for each trial and a line from the lowest to the highest of them. */
export function ArmBarsPlot({ bars, format }: Props) {
  const top = Math.max(0, ...bars.flatMap(({ mean, values }) => [mean ?? 0, ...values])) || 1;
  const x = (value: number) => (Math.max(0, value) / top) * (WIDTH - PAD);
  return (
    <div className={classes.armBars}>
      {bars.map((bar) => (
        <div key={bar.key} className={classes.armBar}>
          <span title={bar.label}>{bar.label}</span>
          <BarPlot bar={bar} x={x} format={format} />
          <b>{worded(bar, format)}</b>
        </div>
      ))}
    </div>
  );
}
