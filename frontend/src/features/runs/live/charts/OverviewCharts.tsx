import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ActionMark, RunDetail, SeriesInfo, TrialOut } from '@/api/generated';
import {
  coarseSeriesQuery,
  pointsATrial,
  type TrialSeriesData,
  trialSeriesKey,
  trialSeriesQuery,
} from '@/api/trialSeries';
import { roundUp } from '@/components/charts/axes';
import { armColor, armDash } from '@/components/charts/palette';
import { ArmBarsPlot } from '@/components/charts/plots/ArmBarsPlot';
import { CHARTS, type ChartDefinition } from '@/components/charts/series/definitions';
import {
  actionsOf,
  armLines,
  type ComparedChart,
  comparedCharts,
  type TrialSource,
  useSources,
} from '@/components/charts/series/lines';
import type { Line } from '@/components/charts/time/align';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { type Feed, useFeed, useTurn } from '@/components/charts/time/turns';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { isOver } from '@/domain/runs';
import type { Point } from '@/domain/series';
import { latestAttempts } from '@/domain/trials';
import { formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { drawnTrials } from './liveLines';
import classes from './OverviewCharts.module.css';

const LEAD_HEIGHT = 300;
const KEYS = CHARTS.map(({ key }) => key);

/**
 * The main series of these trials: of those that have ended, thinned and loaded once; of the one under way, what the
 * stream brings.
 */
function useRunSources(run: RunDetail, trials: readonly TrialOut[]) {
  const client = useQueryClient();
  const points = pointsATrial(run.plan.trials);
  const live = (id: string) => client.getQueryData<TrialSeriesData>(trialSeriesKey(id));
  const { data, error, retry } = useQueries({
    queries: trials.map(({ id }) =>
      id === run.progress.current_trial_id
        ? { ...trialSeriesQuery(id) }
        : // What was watched is drawn until what is stored has come.
          { ...coarseSeriesQuery(id, points, KEYS), placeholderData: () => live(id) },
    ),
    combine: (results) => ({
      data: results.map((result) => result.data as TrialSeriesData | undefined),
      error: results.find((result) => result.isError)?.error ?? null,
      retry: () => {
        for (const result of results) if (result.isError) void result.refetch();
      },
    }),
  });
  return {
    sources: useSources(drawnTrials(run, trials), data),
    isLoading: data.length > 0 && data.every((one) => one === undefined),
    error,
    retry,
  };
}

/** More curves than these on one axis cannot be told apart. */
const MOST_OVERLAID = 24;
/** More trials than these are more than a page can wait for. */
const MOST_IN_ROW = 200;

export type Overview = 'arms' | 'run';

/** The trials that an overview draws, in the order of execution: those completed, and the one under way. */
export function trialsSoFar(run: Pick<RunDetail, 'trials' | 'progress'>, view: Overview) {
  const begun = latestAttempts(run.trials).filter(
    ({ id, state, started_at }) =>
      started_at && (state === 'completed' || id === run.progress.current_trial_id),
  );
  const drawn = begun.slice(view === 'arms' ? -MOST_OVERLAID : -MOST_IN_ROW);
  return { drawn, left: begun.length - drawn.length };
}

/** Seconds from the start of the first trial's load to the start of each measured window. */
export function windowStarts(trials: readonly TrialOut[], warmupS: number): Map<string, number> {
  const at = ({ started_at }: TrialOut) => Date.parse(started_at ?? '');
  const [first] = trials;
  if (!first) return new Map();
  return new Map(trials.map((trial) => [trial.id, (at(trial) - at(first)) / 1000 + warmupS]));
}

const shifted = (points: readonly Point[], by: number): Point[] =>
  points.map(([t, value]) => [t + by, value]);

/** A mark that ends a curve, so that it is not drawn on to the next trial. */
const endOf = (points: readonly Point[]): Point[] => {
  const last = points.at(-1);
  return last ? [[last[0] + 0.001, null]] : [];
};

/** One line a trial from the start of its measured window; of each arm, all but the latest are faint. */
export function overlaidLines(
  definition: ChartDefinition,
  label: string,
  sources: readonly TrialSource[],
): Line[] {
  const latest = new Map(sources.map(({ armIndex, trialId }) => [armIndex, trialId]));
  const shown = new Set(latest.values());
  const byArm = [...sources].sort((a, b) => a.armIndex - b.armIndex);
  return armLines(definition, label, byArm, { dashed: true }).map((line) =>
    shown.has(line.id) ? line : { ...line, faint: true, unnamed: true },
  );
}

/** One line an arm over the whole run, interrupted between its trials. */
export function runLines(
  definition: ChartDefinition,
  label: string,
  sources: readonly TrialSource[],
  starts: ReadonlyMap<string, number>,
): Line[] {
  const arms = new Map(sources.map(({ armIndex, armLabel }) => [armIndex, armLabel]));
  return [...arms]
    .sort(([a], [b]) => a - b)
    .map(([index, name]) => ({
      id: String(index),
      label: name,
      color: armColor(index),
      dash: armDash(index),
      points: sources
        .filter(({ armIndex }) => armIndex === index)
        .flatMap(({ trialId, series }) => {
          const found = series.find((line) => line.key === definition.key && line.label === label);
          const points = shifted(found?.points ?? [], starts.get(trialId) ?? 0);
          return [...points, ...endOf(points)];
        }),
    }));
}

/** What perturbations did in all trials, on the axis of the run. */
export function runMarks(sources: readonly TrialSource[], starts: ReadonlyMap<string, number>): ActionMark[] {
  return sources.flatMap(({ trialId, actions }) => {
    const by = starts.get(trialId) ?? 0;
    return actions.map((mark) => ({
      ...mark,
      t_s: mark.t_s + by,
      ended_s: mark.ended_s === null ? null : mark.ended_s + by,
    }));
  });
}

/** The axis of a run that goes on ends at a round number, so that it stands still most of the time. */
export function runDomain(endS: number, isOver: boolean): [number, number] {
  return [0, isOver ? endS : roundUp(endS)];
}

const notes = (): Record<Overview, string> => ({
  arms: t`All trials from the start of the measured window; the latest of each arm in full, earlier ones faint.`,
  run: t`Since the start of the first trial, in the order in which the trials ran.`,
});

interface Props {
  run: RunDetail;
  view: Overview;
  catalogue: readonly SeriesInfo[];
}

/** Where each trial stands on the axis of the run. Keeps its identity while no trial begins. */
function useStarts(trials: readonly TrialOut[], warmupS: number): ReadonlyMap<string, number> {
  const key = JSON.stringify([...windowStarts(trials, warmupS)]);
  return useMemo(() => new Map(JSON.parse(key) as [string, number][]), [key]);
}

/** The time that all charts share: that of a trial, or that of the run. */
function useDomain({ run, view }: Pick<Props, 'run' | 'view'>, starts: ReadonlyMap<string, number>) {
  const { warmup_s, measure_s, cooldown_s } = run.plan;
  const endS = Math.max(...starts.values()) + measure_s + cooldown_s;
  const over = isOver(run);
  return useMemo(
    () => (view === 'arms' ? ([-warmup_s, measure_s] as const) : runDomain(endS, over)),
    [view, warmup_s, measure_s, endS, over],
  );
}

interface ChartProps extends Pick<Props, 'run' | 'view'> {
  chart: ComparedChart;
  feed: Feed<readonly TrialSource[]>;
  starts: ReadonlyMap<string, number>;
  domain: readonly [number, number];
}

interface OverviewChartProps extends ChartProps {
  /** The first is large, and has the means of its arms beside it. */
  isLead: boolean;
}

function OverviewChart({ chart, run, view, starts, domain, feed, isLead }: OverviewChartProps) {
  const { info, definition, label, title } = chart;
  const sources = useTurn(feed);
  const lines = useMemo(
    () =>
      view === 'arms'
        ? overlaidLines(definition, label, sources)
        : runLines(definition, label, sources, starts),
    [view, definition, label, sources, starts],
  );
  const marks = useMemo(
    () => (view === 'arms' ? actionsOf(sources) : runMarks(sources, starts)),
    [view, sources, starts],
  );
  const drawn = (
    <TimeChart
      title={title}
      unit={info.unit}
      description={said(info.description)}
      lines={lines}
      marks={marks}
      domain={domain}
      measureS={view === 'arms' ? run.plan.measure_s : domain[1]}
      syncId={`${run.id} ${view}`}
      showLatest={false}
      height={isLead ? LEAD_HEIGHT : undefined}
    />
  );
  if (!isLead || isOver(run)) return drawn;
  return (
    <div className={classes.lead}>
      {drawn}
      <Race chart={chart} feed={feed} measureS={run.plan.measure_s} />
    </div>
  );
}

/** The mean of each trial that is drawn, within its window, by arm. */
function meansOf({ definition, label }: ComparedChart, sources: readonly TrialSource[], measureS: number) {
  const arms = new Map<number, { label: string; trials: number[] }>();
  for (const { armIndex, armLabel, series } of sources) {
    const found = series.find((line) => line.key === definition.key && line.label === label);
    const values = (found?.points ?? []).flatMap(([t, value]) =>
      t > 0 && t <= measureS && value !== null ? [value] : [],
    );
    if (values.length === 0) continue;
    const arm = arms.get(armIndex) ?? { label: armLabel, trials: [] };
    arm.trials.push(mean(values));
    arms.set(armIndex, arm);
  }
  return [...arms].sort(([a], [b]) => a - b);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The running means of all arms, from their first second on: who is ahead, before anything may be claimed. */
function Race({ chart, feed, measureS }: Pick<ChartProps, 'chart' | 'feed'> & { measureS: number }) {
  const sources = useTurn(feed);
  const bars = meansOf(chart, sources, measureS).map(([index, { label, trials }]) => ({
    key: String(index),
    label,
    color: armColor(index),
    mean: mean(trials),
    values: trials,
  }));
  const { title } = chart;
  return (
    <Panel title={t`So far: ${title}`} note={t`Means of the trials that are drawn; too early for a claim.`}>
      <ArmBarsPlot bars={bars} format={(value) => formatValue(value, chart.info.unit)} />
    </Panel>
  );
}

/** Until there are charts, why there are none. */
function NoCharts({ isLoading }: { isLoading: boolean }) {
  if (isLoading) return <Skeleton height={240} aria-label={t`Loading the charts`} />;
  return (
    <Panel>
      <EmptyState title={t`Nothing measured yet`}>{t`Charts appear with the first readings.`}</EmptyState>
    </Panel>
  );
}

/** All trials of the run so far, in charts that compare its arms. */
export function OverviewCharts({ run, view, catalogue }: Props) {
  const { drawn, left } = trialsSoFar(run, view);
  const { sources, isLoading, error, retry } = useRunSources(run, drawn);
  const feed = useFeed<readonly TrialSource[]>(sources);
  const starts = useStarts(drawn, run.plan.warmup_s);
  const domain = useDomain({ run, view }, starts);
  const shown = drawn.length;
  const charts = comparedCharts(catalogue, sources);
  const [lead] = charts;
  return (
    <>
      <p className={classes.note}>
        {notes()[view]}
        {left > 0 && ` ${t`The latest ${shown} trials; ${left} earlier ones are not drawn.`}`}
      </p>
      {error && <ProblemNotice error={error} retry={retry} />}
      {charts.length === 0 && !error && <NoCharts isLoading={isLoading} />}
      <div className={classes.charts} data-view={view}>
        {charts.map((chart) => (
          <OverviewChart
            key={chart.title}
            isLead={view === 'arms' && chart === lead}
            {...{ chart, run, view, feed, starts, domain }}
          />
        ))}
      </div>
    </>
  );
}
