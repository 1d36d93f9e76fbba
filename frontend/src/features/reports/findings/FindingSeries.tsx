import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Report, TimeSeriesChart } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { PartsChart } from '@/components/charts/heat/PartsChart';
import { definitionFor, essentialLabels } from '@/components/charts/series/definitions';
import { labelLines, labelsOf, type TrialSource, withoutEmptyParts } from '@/components/charts/series/lines';
import { highestReading, type Line } from '@/components/charts/time/align';
import { type TimeRange, useTimeRange } from '@/components/charts/time/range/timeRange';
import { TimeChart, type TimeChartProps } from '@/components/charts/time/TimeChart';
import { RawRemovedNote } from '@/components/runs/ImportedNote';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { said } from '@/lib/language/serverText';
import { ArmsChart } from '../charts/ArmsChart';
import { useReportSources } from '../charts/sources';
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

/** All arms in one chart. */
function Together({ chart, report, label, ...shown }: PartProps & { label: string }) {
  const { info, sources } = shown;
  const notes = useReportMoments(
    report,
    sources.map(({ trialId }) => trialId),
  );
  return (
    <ArmsChart
      {...shown}
      label={label}
      title={label && label !== info.key ? label : said(info.title)}
      plan={report.run.plan}
      notes={notes}
      onMoment={useNoteOn(report, sources[0]?.trialId)}
      syncId={chart.key}
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

type ApartProps = PartProps & { labels: string[] };

/** A chart for each arm; one axis for all, or they could not be compared. */
function Apart({ chart, report, sources, info, definition, isLoaded, labels }: ApartProps) {
  const drawn = useDrawn({ report, definition, sources, labels, stacked: info.stacked });
  const { plan } = report.run;
  const domain = useMemo(() => [-plan.warmup_s, plan.measure_s] as const, [plan.warmup_s, plan.measure_s]);
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
      measureS={plan.measure_s}
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
  const { sources, error, retry, isLoaded } = useReportSources(
    report,
    chart.trials.slice(0, shown).map(({ trial_id: id, arm, label }) => ({ id, arm, label })),
  );
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
