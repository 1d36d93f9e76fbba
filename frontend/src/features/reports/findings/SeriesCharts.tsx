import { t } from '@lingui/core/macro';
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
import { highestReading, type Line } from '@/components/charts/time/align';
import { type TimeRange, useTimeRange } from '@/components/charts/time/range/timeRange';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { said } from '@/lib/language/serverText';
import { useReportMoments } from '../api/useReportMoments';
import { useNoteOn } from '../notes/useNoteOn';
import { OwnChart } from './OwnChart';

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

/** Of what is shown of all of them. */
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
