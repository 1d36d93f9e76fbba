import { t } from '@lingui/core/macro';
import type { MetricInfo, RunAnalysis } from '@/api/generated';

const titles = (): Record<MetricInfo['group'], string> => ({
  throughput: t`Throughput`,
  latency: t`Latency`,
  nginx: 'nginx',
  balance: t`Balance between workers`,
  disk: t`Disk`,
  host: t`Host`,
});
/** Shown without being asked for, with whatever the verdict is about. */
const FIRST: ReadonlySet<string> = new Set(['throughput', 'latency']);

export interface MetricGroup {
  key: MetricInfo['group'];
  title: string;
  metrics: MetricInfo[];
  first: boolean;
}

/** A long table's metrics by what they tell of, in the order of the analysis. */
export function groupsOf({ metrics, statements }: RunAnalysis): MetricGroup[] {
  const claimed = new Set(statements.map(({ metric }) => metric));
  const found = new Map<MetricInfo['group'], MetricInfo[]>();
  for (const metric of metrics) found.set(metric.group, [...(found.get(metric.group) ?? []), metric]);
  return [...found].map(([key, own]) => ({
    key,
    title: titles()[key],
    metrics: own,
    first: FIRST.has(key) || own.some((metric) => claimed.has(metric.key)),
  }));
}
