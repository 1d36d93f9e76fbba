import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Report, TimeSeriesChart } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { PartsChart } from '@/components/charts/heat/PartsChart';
import { definitionFor, essentialLabels } from '@/components/charts/series/definitions';
import {
  actionsOf,
  armLines,
  labelLines,
  labelsOf,
  type TrialSource,
  useShownSeries,
  useSources,
  withoutEmptyParts,
} from '@/components/charts/series/lines';
import { highestReading, type Line } from '@/components/charts/time/align';
import { type TimeRange, useTimeRange } from '@/components/charts/time/range/timeRange';
import { TimeChart, type TimeChartProps } from '@/components/charts/time/TimeChart';
import { RawRemovedNote } from '@/components/runs/ImportedNote';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { armIndex } from '@/domain/trials';
import { said } from '@/lib/language/serverText';
import charts from '../charts.module.css';
import { useNoteOn, useReportMoments } from '../notes';
import classes from './FindingSeries.module.css';

interface SeriesChartsProps extends TimeChartProps {
  report: Report;
  trialId: string;
  /** The name of the chart, if its lines are alike. */
  alike?: string;
}

/** The chart of one trial, whose moments can be written of. */
function OwnChart({ report, trialId, alike, ...chart }: SeriesChartsProps) {
  const onMoment = useNoteOn(report, trialId);
  if (alike) return <PartsChart {...chart} name={alike} onMoment={onMoment} />;
  return <TimeChart {...chart} onMoment={onMoment} />;
}

interface PartProps {
  chart: TimeSeriesChart;
  report: Report;
  sources: readonly TrialSource[];
  info: Report['catalogue'][number];
  definition: ReturnType<typeof definitionFor>;
  isLoaded: boolean;
}

const domainOf = ({ run }: Report) => [-run.plan.warmup_s, run.plan.measure_s] as const;

/** All arms in one chart. */
function Together({
  chart,
  report,
  sources,
  info,
  definition,
  isLoaded,
  label,
}: PartProps & { label: string }) {
  const lines = useMemo(
    () => armLines(definition, label, sources, { dashed: true }),
    [definition, label, sources],
  );
  const marks = useMemo(() => actionsOf(sources), [sources]);
  const domain = useMemo(() => domainOf(report), [report]);
  const notes = useReportMoments(
    report,
    sources.map(({ trialId }) => trialId),
  );
  const noteOn = useNoteOn(report, sources[0]?.trialId);
  return (
    <TimeChart
      title={label && label !== info.key ? label : said(info.title)}
      unit={info.unit}
      lines={lines}
      marks={marks}
      notes={notes}
      onMoment={noteOn}
      domain={domain}
      measureS={report.run.plan.measure_s}
      syncId={chart.key}
      showLatest={false}
      empty={isLoaded ? t`Not measured in these trials` : t`Loading …`}
    />
  );
}

interface DrawnProps {
  report: Report;
  definition: PartProps['definition'];
  sources: readonly TrialSource[];
  labels: readonly string[];
  stacked: boolean;
}

/** The lines of each trial, and the notes on moments of it. */
function useDrawn({ report, definition, sources, labels, stacked }: DrawnProps) {
  const moments = useReportMoments(
    report,
    sources.map(({ trialId }) => trialId),
  );
  return useMemo(
    () =>
      sources.map((source) => ({
        source,
        notes: moments.filter(({ trialId }) => trialId === source.trialId),
        lines: withoutEmptyParts(labelLines(definition, source, labels), stacked),
      })),
    [definition, sources, labels, stacked, moments],
  );
}

/** The highest value of all charts shown, for a common axis. */
function useHighest(drawn: readonly { lines: Line[] }[], domain: TimeRange): number {
  const range = useTimeRange()?.range ?? domain;
  return useMemo(
    () =>
      highestReading(
        drawn.flatMap(({ lines }) => lines),
        range,
      ),
    [drawn, range],
  );
}

/** A chart for each arm; one axis for all, or they could not be compared. */
function Apart({
  chart,
  report,
  sources,
  info,
  definition,
  isLoaded,
  labels,
}: PartProps & { labels: string[] }) {
  const drawn = useDrawn({ report, definition, sources, labels, stacked: info.stacked });
  const domain = useMemo(() => domainOf(report), [report]);
  const top = useHighest(drawn, domain);
  return drawn.map(({ source, lines, notes }) => (
    <OwnChart
      key={source.trialId}
      report={report}
      trialId={source.trialId}
      alike={definition.alike ? chart.key : undefined}
      title={source.armLabel}
      unit={info.unit}
      lines={lines}
      marks={source.actions}
      notes={notes}
      stacked={info.stacked}
      yMax={info.y_max ?? (info.stacked ? null : top)}
      domain={domain}
      measureS={report.run.plan.measure_s}
      syncId={chart.key}
      showLatest={false}
      empty={isLoaded ? t`Not measured in this trial` : t`Loading …`}
    />
  ));
}

/** So many arms are drawn without being asked for. */
const FIRST = 6;

interface Props {
  chart: TimeSeriesChart;
  report: Report;
}

function useFindingSources({ chart, report }: Props, shown: number) {
  const trials = chart.trials.slice(0, shown);
  const { data, error, retry } = useShownSeries(trials.map(({ trial_id }) => trial_id));
  const drawn = trials.map(({ trial_id, arm, label }) => ({
    trialId: trial_id,
    armIndex: armIndex(report.arms, arm),
    armLabel: label,
  }));
  const sources = useSources(drawn, data);
  return { sources, error, retry, isLoaded: data.every((one) => one !== undefined) };
}

const frameOf = ({ key, title, why }: TimeSeriesChart) => ({
  id: `chart-${key}`,
  title: said(title),
  why: <ServerText text={why} />,
});

/** A series over the time of one trial an arm: arms in one chart where each has one line, else a chart for each. */
export function FindingSeries({ chart, report }: Props) {
  if (!report.run.raw_removed) return <Drawn chart={chart} report={report} />;
  return (
    <ChartFrame {...frameOf(chart)}>
      <RawRemovedNote removed={report.run.raw_removed} />
    </ChartFrame>
  );
}

function Drawn({ chart, report }: Props) {
  const [shown, setShown] = useState(FIRST);
  const { sources, error, retry, isLoaded } = useFindingSources({ chart, report }, shown);
  const info = report.catalogue.find(({ key }) => key === chart.series);
  if (!info) return null;
  const definition = definitionFor(info);
  const known = labelsOf(definition, sources);
  const labels =
    chart.lines.length > 0
      ? chart.lines.filter((label) => known.includes(label))
      : essentialLabels(definition, known);
  const more = chart.trials.length - shown;
  return (
    <ChartFrame {...frameOf(chart)} wide={labels.length !== 1}>
      {error && <ProblemNotice error={error} retry={retry} />}
      {labels.length === 0 && isLoaded && (
        <Text size="sm" c="var(--text-dim)">
          <Trans>These trials have no data for this chart.</Trans>
        </Text>
      )}
      {labels.length === 1 ? (
        <Together {...{ chart, report, sources, info, definition, isLoaded }} label={labels[0] ?? ''} />
      ) : null}
      {labels.length > 1 && (
        <div className={charts.charts}>
          <Apart {...{ chart, report, sources, info, definition, isLoaded, labels }} />
        </div>
      )}
      {more > 0 && (
        <Button variant="default" mt="sm" className={classes.more} onClick={() => setShown(shown + more)}>
          {t`${more} more arms`}
        </Button>
      )}
    </ChartFrame>
  );
}
