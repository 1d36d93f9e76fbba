import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Report, TimeSeriesChart } from '@/api/generated';
import { useTrialSeries } from '@/api/sharing/useTrialSeries';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { roundUp } from '@/components/charts/roundUp';
import { definitionFor, essentialLabels } from '@/components/charts/series/definitions';
import {
  actionsOf,
  armLines,
  labelLines,
  labelsOf,
  type TrialSource,
  withoutEmptyParts,
} from '@/components/charts/series/lines';
import { useSources } from '@/components/charts/series/useSources';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { RawRemovedNote } from '@/components/runs/RawRemovedNote';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { Prose } from '@/components/ui/Prose';
import { armIndex } from '@/domain/trials';
import { useReportMoments } from '../api/useReportMoments';
import charts from '../charts.module.css';
import { useNoteOn } from '../notes/useNoteOn';
import classes from './FindingSeries.module.css';
import { OwnChart } from './OwnChart';

/** So many arms are drawn without being asked for. */
const FIRST = 6;
const LOADING = 'Loading …';

interface Props {
  chart: TimeSeriesChart;
  report: Report;
}

function useFindingSources({ chart, report }: Props, shown: number) {
  const trials = chart.trials.slice(0, shown);
  const { data, error, retry } = useTrialSeries(trials.map(({ trial_id }) => trial_id));
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
  title,
  why: <Prose text={why} />,
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
          These trials have no data for this chart.
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
          {more} more arms
        </Button>
      )}
    </ChartFrame>
  );
}

interface PartProps extends Props {
  sources: readonly TrialSource[];
  info: Report['catalogue'][number];
  definition: ReturnType<typeof definitionFor>;
  isLoaded: boolean;
}

const domainOf = ({ run }: Report) => [-run.plan.warmup_s, run.plan.measure_s] as const;

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
      title={label && label !== info.key ? label : info.title}
      unit={info.unit}
      lines={lines}
      marks={marks}
      notes={notes}
      onMoment={noteOn}
      domain={domain}
      measureS={report.run.plan.measure_s}
      syncId={chart.key}
      showLatest={false}
      empty={isLoaded ? 'Not measured in these trials' : LOADING}
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

/** One axis for all arms, or they could not be compared. */
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
  const highest = drawn.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(([, y]) => y ?? 0)));
  const top = info.stacked ? 0 : highest.reduce((most, value) => Math.max(most, value), 0);
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
      yMax={info.y_max ?? (top > 0 ? roundUp(top) : null)}
      domain={domain}
      measureS={report.run.plan.measure_s}
      syncId={chart.key}
      showLatest={false}
      empty={isLoaded ? 'Not measured in this trial' : LOADING}
    />
  ));
}
