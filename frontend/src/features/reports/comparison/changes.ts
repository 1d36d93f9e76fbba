import type { ArmAnalysis, Comparison, MetricInfo, RunAnalysis } from '@/api/generated';

/** A metric of an arm that is said to differ from the baseline. */
export interface Change {
  arm: ArmAnalysis;
  metric: MetricInfo;
  comparison: Comparison;
}

const DIFFERS: ReadonlySet<string> = new Set(['better', 'worse', 'higher', 'lower']);

/** How many half widths of its interval a difference is. */
function clearness({ scale, estimate, ci_low, ci_high }: Comparison): number {
  if (ci_low === null || ci_high === null) return 0;
  const [low, value, high] = [ci_low, estimate, ci_high].map(scale === 'ratio' ? Math.log : Number) as [
    number,
    number,
    number,
  ];
  const found = (2 * Math.abs(value)) / (high - low || Number.EPSILON);
  return Number.isFinite(found) ? found : 0;
}

/**
 * What is said to differ, the clearest first. The words of a run are chosen together, claims by a chance of 5 % that any
 * is false, all others so that at most 5 % of them are expected to be (docs/method.md).
 */
export function changesOf({ arms, metrics }: RunAnalysis): Change[] {
  const infos = new Map(metrics.map((metric) => [metric.key, metric]));
  const found = arms.flatMap((arm) =>
    arm.metrics.flatMap(({ metric: key, comparison }) => {
      const metric = infos.get(key);
      return metric && comparison && DIFFERS.has(comparison.verdict) ? [{ arm, metric, comparison }] : [];
    }),
  );
  return found.sort((a, b) => clearness(b.comparison) - clearness(a.comparison));
}
