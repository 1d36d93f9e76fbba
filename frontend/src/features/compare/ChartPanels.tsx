import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { AcrossRuns, RunComparison, SeriesInfo } from '@/api/generated';
import { useTrialSeries } from '@/api/trialSeries';
import { DistributionChart } from '@/components/charts/lineCharts';
import { armColor, armDash } from '@/components/charts/palette';
import {
  armLines,
  type ComparedChart,
  comparedCharts,
  type TrialSource,
  useSources,
} from '@/components/charts/series/lines';
import { PinProvider } from '@/components/charts/time/choices';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { named, said } from '@/lib/language/serverText';
import classes from './TimePanel.module.css';

/** The latency of all responses of each arm, laid over each other. */
export function DistributionPanel({ analysis: { arms } }: { analysis: AcrossRuns }) {
  const lines = useMemo(
    () =>
      arms.map(({ label, distribution }, index) => ({
        label: named(label),
        color: armColor(index),
        dash: armDash(index),
        points: distribution,
      })),
    [arms],
  );
  if (lines.every(({ points }) => points.length === 0)) return null;
  return (
    <Panel
      title={t`Latency of all responses`}
      note={t`Merged histograms of all trials of an arm, for drawing: claims rest on trials.`}
    >
      <DistributionChart lines={lines} />
    </Panel>
  );
}

interface Props {
  comparison: RunComparison;
  /** `undefined` while it is on its way. */
  catalogue: readonly SeriesInfo[] | undefined;
}

/** One trial an arm: the middle one of its blocks, as it is neither the first nor the last. */
function drawnTrials({ analysis, arms }: RunComparison) {
  return analysis.arms.flatMap(({ key, label }, armIndex) => {
    const trials = arms.find((arm) => arm.key === key)?.trials ?? [];
    const trial = trials[Math.floor((trials.length - 1) / 2)];
    return trial ? [{ trialId: trial.id, armIndex, armLabel: named(label) }] : [];
  });
}

/** From the start of the shortest to the end of the longest trial. */
function domainOf(sources: readonly TrialSource[]): [number, number] {
  const times = sources.flatMap(({ series }) =>
    series.flatMap(({ points }) => [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0]),
  );
  return [Math.min(0, ...times), Math.max(1, ...times)];
}

function OverlaidChart({ chart, sources }: { chart: ComparedChart; sources: readonly TrialSource[] }) {
  const { info, definition, label, title } = chart;
  const lines = useMemo(
    () => armLines(definition, label, sources, { dashed: true }),
    [definition, label, sources],
  );
  const domain = useMemo(() => domainOf(sources), [sources]);
  return (
    <TimeChart
      title={title}
      unit={info.unit}
      description={said(info.description)}
      lines={lines}
      domain={domain}
      measureS={domain[1]}
      syncId="compare"
      showLatest={false}
      height={150}
    />
  );
}

/** The course of a trial of each arm, laid over each other from the start of the measured window. */
export function TimePanel({ comparison, catalogue }: Props) {
  const drawn = drawnTrials(comparison);
  const { data, error, retry } = useTrialSeries(drawn.map(({ trialId }) => trialId));
  const sources = useSources(drawn, data);
  if (drawn.length === 0) return null;
  const isLoaded = data.every((one) => one !== undefined) && catalogue !== undefined;
  return (
    <Panel
      title={t`Over time within a trial`}
      note={t`One trial of each arm, that of its middle block, in seconds since the start of its measured window.`}
    >
      {error && <ProblemNotice error={error} retry={retry} />}
      {!isLoaded && !error && <p className={classes.loading}>{t`Loading …`}</p>}
      <PinProvider>
        <div className={classes.charts}>
          {isLoaded &&
            comparedCharts(catalogue, sources).map((chart) => (
              <OverlaidChart key={`${chart.info.key} ${chart.label}`} chart={chart} sources={sources} />
            ))}
        </div>
      </PinProvider>
    </Panel>
  );
}
