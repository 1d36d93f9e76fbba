import { t } from '@lingui/core/macro';
import type { Report, RunAnalysis } from '@/api/generated';
import { slug } from '@/lib/slug';
import { ComparisonTable } from '../comparison/ComparisonTable';
import { Section } from '../contents/Section';
import { basisOfStream } from './bases';
import { LatencyBasis } from './LatencyBasis';

/** The same analysis, of one stream only. */
function ofStream(analysis: RunAnalysis, stream: string): RunAnalysis {
  const arms = analysis.arms.map((arm) => ({
    ...arm,
    metrics: arm.streams?.find((own) => own.stream === stream)?.metrics ?? [],
  }));
  const measured = new Set(arms.flatMap((arm) => arm.metrics.map(({ metric }) => metric)));
  return { ...analysis, arms, metrics: analysis.metrics.filter(({ key }) => measured.has(key)) };
}

/** Stream by stream, where trials have more than one: the whole may hide what one of them meets. */
export function StreamsSection({ report }: { report: Report }) {
  const { analysis } = report;
  const streams = [
    ...new Set(analysis.arms.flatMap((arm) => (arm.streams ?? []).map(({ stream }) => stream))),
  ];
  return streams.map((stream) => (
    <Section
      key={stream}
      id={slug(`stream-${stream}`)}
      title={t`Stream ${stream}`}
      flush
      note={t`Over the time of the stream, paired by block.`}
      actions={<LatencyBasis bases={[basisOfStream(report, stream)]} />}
    >
      <ComparisonTable analysis={ofStream(analysis, stream)} />
    </Section>
  ));
}
