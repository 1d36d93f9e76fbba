import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import type { RunDetail, SeriesInfo } from '@/api/generated';
import { type ComparedChart, comparedCharts } from '@/components/charts/series/comparedCharts';
import { actionsOf, type TrialSource } from '@/components/charts/series/lines';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { type Feed, useFeed, useTurn } from '@/components/charts/time/turns';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { isOver } from '@/domain/runs';
import { said } from '@/lib/language/serverText';
import classes from './OverviewCharts.module.css';
import {
  type Overview,
  overlaidLines,
  runDomain,
  runLines,
  runMarks,
  trialsSoFar,
  useRunSources,
  windowStarts,
} from './overview';

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
function useStarts({ run, view }: Pick<Props, 'run' | 'view'>): ReadonlyMap<string, number> {
  const starts = windowStarts(trialsSoFar(run, view).drawn, run.plan.warmup_s);
  const key = JSON.stringify([...starts]);
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

function OverviewChart({ chart, run, view, starts, domain, feed }: ChartProps) {
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
  return (
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
    />
  );
}

interface ChartsProps extends Pick<Props, 'run' | 'view'>, Pick<ChartProps, 'feed'> {
  charts: readonly ComparedChart[];
}

function Charts({ charts, feed, ...props }: ChartsProps) {
  const starts = useStarts(props);
  const domain = useDomain(props, starts);
  return (
    <div className={classes.charts} data-view={props.view}>
      {charts.map((chart) => (
        <OverviewChart
          key={chart.title}
          {...props}
          chart={chart}
          feed={feed}
          starts={starts}
          domain={domain}
        />
      ))}
    </div>
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
  const shown = drawn.length;
  const charts = comparedCharts(catalogue, sources);
  return (
    <>
      <p className={classes.note}>
        {notes()[view]}
        {left > 0 && ` ${t`The latest ${shown} trials; ${left} earlier ones are not drawn.`}`}
      </p>
      {error && <ProblemNotice error={error} retry={retry} />}
      {charts.length === 0 && !error && <NoCharts isLoading={isLoading} />}
      <Charts run={run} view={view} charts={charts} feed={feed} />
    </>
  );
}
