import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { RunDetail, SeriesInfo, TrialOut } from '@/api/generated';
import {
  coarseSeriesQuery,
  pointsATrial,
  type TrialSeriesData,
  trialSeriesKey,
  trialSeriesQuery,
} from '@/api/trialSeries';
import { armColor } from '@/components/charts/palette';
import { ArmBarsPlot } from '@/components/charts/plots/ArmBarsPlot';
import { CHARTS } from '@/components/charts/series/definitions';
import {
  actionsOf,
  type ComparedChart,
  comparedCharts,
  type TrialSource,
  useSources,
} from '@/components/charts/series/lines';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { type Feed, useFeed, useTurn } from '@/components/charts/time/turns';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { isOver } from '@/domain/runs';
import { formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { drawnTrials, useSteadyOrder } from './liveLines';
import classes from './OverviewCharts.module.css';
import {
  mayBePlaced,
  type Overview,
  overlaidLines,
  runDomain,
  runLines,
  runMarks,
  trialsSoFar,
  windowStarts,
  withAllArms,
} from './overviewLines';

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
  /** Of a run that goes on, the first is large, and has the means of the arms beside it: of itself and of these. */
  raced?: readonly ComparedChart[];
}

function OverviewChart({ chart, run, view, starts, domain, feed, raced }: OverviewChartProps) {
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
      height={raced ? LEAD_HEIGHT : undefined}
    />
  );
  if (!raced) return drawn;
  return (
    <div className={classes.lead}>
      {drawn}
      <Race charts={raced} feed={feed} measureS={run.plan.measure_s} />
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
    const arm = arms.get(armIndex) ?? { label: armLabel, trials: [] };
    if (values.length > 0) arm.trials.push(mean(values));
    arms.set(armIndex, arm);
  }
  return [...arms].sort(([a], [b]) => a - b);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** So many rows stand beside the large chart. */
const RACE_ROWS = 10;

/** The first charts, as far as there is room for the bars of all arms. */
const racedOf = (charts: readonly ComparedChart[], { arms }: RunDetail) =>
  charts.slice(0, Math.max(1, Math.floor(RACE_ROWS / (arms.length + 1))));

interface RaceProps extends Pick<ChartProps, 'feed'> {
  charts: readonly ComparedChart[];
  measureS: number;
}

/** The running means of all arms, from their first second on: who is ahead, before anything may be claimed. */
function Race({ charts, feed, measureS }: RaceProps) {
  const sources = useTurn(feed);
  return (
    <Panel title={t`So far`} note={t`Means of the trials that are drawn; too early for a claim.`}>
      {charts.map((chart) => (
        <section key={chart.title} className={classes.race} aria-label={chart.title}>
          <b>{chart.title}</b>
          <ArmBarsPlot
            bars={meansOf(chart, sources, measureS).map(([index, { label, trials }]) => ({
              key: String(index),
              label,
              color: armColor(index),
              mean: trials.length > 0 ? mean(trials) : null,
              values: trials,
            }))}
            format={(value) => formatValue(value, chart.info.unit)}
          />
        </section>
      ))}
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

const titleOf = ({ title }: ComparedChart) => title;

/** All trials of the run so far, in charts that compare its arms. */
export function OverviewCharts({ run, view, catalogue }: Props) {
  const [wasOver] = useState(isOver(run)); // what ends under its reader is drawn as before
  const { drawn, left } = trialsSoFar(run, view);
  const { sources, isLoading, error, retry } = useRunSources(run, drawn);
  const { arms } = run;
  const shownSources = useMemo(
    () => (wasOver ? sources : withAllArms(sources, { arms })),
    [wasOver, sources, arms],
  );
  const feed = useFeed<readonly TrialSource[]>(shownSources);
  const starts = useStarts(drawn, run.plan.warmup_s);
  const domain = useDomain({ run, view }, starts);
  const shown = drawn.length;
  const definitions = CHARTS.filter(({ key }) => catalogue.some((info) => info.key === key));
  const hasCompleted = drawn.some(
    ({ state }, place) => state === 'completed' && sources[place]?.series.length,
  );
  const isPlaced = mayBePlaced(definitions, sources, { hasCompleted, loadS: -run.plan.warmup_s });
  const measured = isPlaced ? comparedCharts(catalogue, sources) : [];
  const charts = useSteadyOrder(measured, titleOf, measured.length > 0);
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
            raced={view === 'arms' && chart === lead && !wasOver ? racedOf(charts, run) : undefined}
            {...{ chart, run, view, feed, starts, domain }}
          />
        ))}
      </div>
    </>
  );
}
