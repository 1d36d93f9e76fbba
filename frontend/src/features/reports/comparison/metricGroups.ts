import { t } from '@lingui/core/macro';
import type { MetricInfo, RunAnalysis } from '@/api/generated';
import { changesOf } from './changes';

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
  key: MetricInfo['group'] | 'changed';
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

/** The same, behind a group of what is said to differ in any arm. */
export function changedFirst(analysis: RunAnalysis): MetricGroup[] {
  const changed = [...new Set(changesOf(analysis).map(({ metric }) => metric))];
  const rest = analysis.metrics.filter((metric) => !changed.includes(metric));
  return [
    { key: 'changed', title: t`What changed`, metrics: changed, first: true },
    ...groupsOf({ ...analysis, metrics: rest }),
  ];
}
