import { t } from '@lingui/core/macro';
import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { Caption } from './ChartFrame';
import type { CurveCanvasProps } from './curve/CurveCanvas';
import { curveWords } from './curve/curve';
import { type DistributionLine, distributionWords } from './distribution/distribution';
import frame from './frame.module.css';
import { LineLegend } from './LineLegend';
import type { LevelLinesProps } from './levels/LevelLinesCanvas';
import { SaveChart } from './SaveChart';
import { nameOf, type ShiftLine } from './shift/shift';
import type { SizingCanvasProps } from './sizing/SizingCanvas';
import { StepLegend } from './steps/StepShape';
import type { StepsCanvasProps } from './steps/StepsCanvas';
import { type StepResult, stepWords } from './steps/steps';
import type { TrendCanvasProps } from './trend/TrendCanvas';

/** Charts of lines that are not over the time of a trial; the code of each comes when its reader is near. */

const Curve = lazyPart(() => import('./curve/CurveCanvas').then(({ CurveCanvas }) => CurveCanvas));
const Distribution = lazyPart(() =>
  import('./distribution/DistributionCanvas').then(({ DistributionCanvas }) => DistributionCanvas),
);
const Levels = lazyPart(() =>
  import('./levels/LevelLinesCanvas').then(({ LevelLinesCanvas }) => LevelLinesCanvas),
);
const Shift = lazyPart(() => import('./shift/ShiftCanvas').then(({ ShiftCanvas }) => ShiftCanvas));
const Sizing = lazyPart(() => import('./sizing/SizingCanvas').then(({ SizingCanvas }) => SizingCanvas));
const Steps = lazyPart(() => import('./steps/StepsCanvas').then(({ StepsCanvas }) => StepsCanvas));
const Trend = lazyPart(() => import('./trend/TrendCanvas').then(({ TrendCanvas }) => TrendCanvas));

const HEIGHTS = {
  curve: 320,
  distribution: 300,
  levels: 230,
  shift: 280,
  sizing: 300,
  steps: 300,
  trend: 240,
};

/** Which share of the responses was done within which time: time across (logarithmic), percentiles up. */
export function DistributionChart({ lines }: { lines: readonly DistributionLine[] }) {
  return (
    <figure style={{ margin: 0 }} aria-label={t`Distribution of latency by arm`}>
      <LineLegend lines={lines} />
      <p className="visually-hidden">{distributionWords(lines)}</p>
      <WhenNear height={HEIGHTS.distribution}>
        <Distribution lines={lines} height={HEIGHTS.distribution} />
      </WhenNear>
    </figure>
  );
}

/** By how much arms differ from the baseline at each percentile, with a band. */
export function ShiftChart({ lines }: { lines: readonly ShiftLine[] }) {
  const words = lines.map(({ label, points }) => {
    const told = points.map(({ fraction, text }) => `${nameOf(fraction)} ${text}`);
    return `${label}: ${told.join(', ')}`;
  });
  return (
    <figure style={{ margin: 0 }} aria-label={t`Change of latency by percentile`}>
      <LineLegend lines={lines} />
      <p className="visually-hidden">{words.join('; ')}</p>
      <WhenNear height={HEIGHTS.shift}>
        <Shift lines={lines} height={HEIGHTS.shift} />
      </WhenNear>
    </figure>
  );
}

interface StepNames {
  /** What the goal bounds. */
  name: string;
  results: Record<StepResult, string>;
}

/** The rates that searches for the capacity tried, against what their goal bounds. */
export function StepsChart(props: Omit<StepsCanvasProps, 'height'> & StepNames) {
  const { name, results, ...canvas } = props;
  const words = canvas.lines.map((line) => stepWords(line, canvas.unit));
  return (
    <figure style={{ margin: 0 }} aria-label={t`Rates that were tried: ${name}`}>
      <LineLegend lines={canvas.lines} />
      <StepLegend results={results} />
      <p className="visually-hidden">{words.join('. ')}</p>
      <WhenNear height={HEIGHTS.steps}>
        <Steps {...canvas} height={HEIGHTS.steps} />
      </WhenNear>
    </figure>
  );
}

/** What arms make of several rates of requests, with a band; of throughput with its knee, too. */
export function CurveChart(props: Omit<CurveCanvasProps, 'height'>) {
  const { lines, name, unit, loadUnit } = props;
  return (
    <figure className={frame.figure} aria-label={name}>
      <Caption title={name} unit="" actions={<SaveChart title={name} />} />
      <LineLegend lines={lines} />
      <p className="visually-hidden">{lines.map((line) => curveWords(line, unit, loadUnit)).join('. ')}</p>
      <WhenNear height={HEIGHTS.curve}>
        <Curve {...props} height={HEIGHTS.curve} />
      </WhenNear>
    </figure>
  );
}

/** What arms serve at each goal, with a band. */
export function SizingChart(props: Omit<SizingCanvasProps, 'height'>) {
  const { lines, name } = props;
  return (
    <figure className={frame.figure} aria-label={name}>
      <Caption title={name} unit="requests/s" actions={<SaveChart title={name} />} />
      <LineLegend lines={lines} />
      <WhenNear height={HEIGHTS.sizing}>
        <Sizing {...props} height={HEIGHTS.sizing} />
      </WhenNear>
    </figure>
  );
}

/** Lines over a number that was varied; dots are means, whiskers reach from the lowest to the highest trial. */
export function LevelLines(props: Omit<LevelLinesProps, 'height'>) {
  return (
    <>
      {props.lines.length > 1 && <LineLegend lines={props.lines} />}
      <WhenNear height={HEIGHTS.levels}>
        <Levels {...props} height={HEIGHTS.levels} />
      </WhenNear>
    </>
  );
}

/** Means of runs over time: dots with whiskers, joined where they can be compared. */
export function TrendChart(props: Omit<TrendCanvasProps, 'height'>) {
  return (
    <>
      <LineLegend lines={props.series} />
      <WhenNear height={HEIGHTS.trend}>
        <Trend {...props} height={HEIGHTS.trend} />
      </WhenNear>
    </>
  );
}
