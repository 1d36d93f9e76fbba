import { useMemo } from 'react';
import type { Report, TimeSeriesChart } from '@/api/generated';
import type { definitionFor } from '@/components/charts/series/definitions';
import {
  actionsOf,
  armLines,
  labelLines,
  type TrialSource,
  withoutEmptyParts,
} from '@/components/charts/series/lines';
import { highestReading } from '@/components/charts/time/align';
import { useTimeRange } from '@/components/charts/time/range/timeRange';
import { TimeChart, type TimeChartProps } from '@/components/charts/time/TimeChart';
import { useReportMoments } from '../api/useReportMoments';
import { useNoteOn } from '../notes/useNoteOn';

const LOADING = 'Loading …';

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
export function Together({
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

/** The chart of one trial, whose moments can be written of. */
function OwnChart({ report, trialId, ...chart }: TimeChartProps & { report: Report; trialId: string }) {
  return <TimeChart {...chart} onMoment={useNoteOn(report, trialId)} />;
}

/** A chart for each arm; one axis for all, or they could not be compared. */
export function Apart({
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
  const [start, end] = useTimeRange()?.range ?? domain;
  const top = useMemo(
    () =>
      highestReading(
        drawn.flatMap(({ lines }) => lines),
        [start, end],
      ),
    [drawn, start, end],
  );
  return drawn.map(({ source, lines, notes }) => (
    <OwnChart
      key={source.trialId}
      report={report}
      trialId={source.trialId}
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
      empty={isLoaded ? 'Not measured in this trial' : LOADING}
    />
  ));
}
