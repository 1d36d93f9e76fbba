import type { ArmAnalysis, ArmMetric, MetricInfo, RunAnalysis } from '@/api/generated';
import { said } from '@/lib/language/serverText';

/** The analysis of one run, or of arms of several. */
export type Compared = Pick<RunAnalysis, 'arms' | 'answers' | 'metrics'>;

/** One primary metric, of all load or of one stream. */
export interface Column {
  key: string;
  title: string;
  info: MetricInfo | undefined;
  resultOf: (arm: ArmAnalysis) => ArmMetric | undefined;
}

export function columnOf(
  { metrics }: Pick<Compared, 'metrics'>,
  { metric, stream }: { metric: string; stream?: string | null },
): Column {
  const info = metrics.find(({ key }) => key === metric);
  const of = (arm: ArmAnalysis) =>
    stream ? arm.streams?.find((one) => one.stream === stream)?.metrics : arm.metrics;
  const title = said(info?.title ?? metric);
  return {
    key: `${stream ?? null} ${metric}`,
    title: stream ? `${title} (${stream})` : title,
    info,
    resultOf: (arm) => of(arm)?.find((one) => one.metric === metric),
  };
}
