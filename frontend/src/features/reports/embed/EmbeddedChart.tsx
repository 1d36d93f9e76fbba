import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { Report, SeriesInfo } from '@/api/generated';
import { DistributionChart } from '@/components/charts/distribution/DistributionChart';
import { comparedLabels, definitionFor } from '@/components/charts/series/definitions';
import { labelsOf } from '@/components/charts/series/lines';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { ArmsChart } from '../charts/ArmsChart';
import { distributionLines } from '../charts/DistributionSection';
import { blocksOf, trialsOf, usableTrials, useReportSources } from '../charts/sources';
import { type ChartPlace, LATENCY } from './snippet';

interface Props {
  report: Report;
  place: ChartPlace;
}

function LatencyChart({ report }: { report: Report }) {
  const { arms } = report.analysis;
  const lines = useMemo(() => distributionLines(arms), [arms]);
  return <DistributionChart lines={lines} />;
}

function SeriesChart({ report, place, info }: Props & { info: SeriesInfo }) {
  const usable = usableTrials(report);
  const block = place.block ?? String(blocksOf(usable)[0] ?? 1);
  const { sources, error, retry, isLoaded } = useReportSources(report, trialsOf(usable, block));
  if (error) return <ProblemNotice error={error} retry={retry} />;
  const definition = definitionFor(info);
  const label = place.line ?? comparedLabels(definition, labelsOf(definition, sources))[0] ?? '';
  return (
    <ArmsChart
      info={info}
      definition={definition}
      label={label}
      sources={sources}
      isLoaded={isLoaded}
      plan={report.run.plan}
      syncId={report.run.id}
      height={210}
    />
  );
}

/** One chart of a report, with nothing that could be done to it. */
export function EmbeddedChart({ report, place }: Props) {
  if (place.key === LATENCY) return <LatencyChart report={report} />;
  const info = report.catalogue.find(({ key }) => key === place.key);
  if (!info) return <p role="alert">{t`This report has no such chart.`}</p>;
  return <SeriesChart report={report} place={place} info={info} />;
}
