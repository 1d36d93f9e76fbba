import type { CapacitySearch, CapacityTried, Report } from '@/api/generated';
import { aReport, withSummaries } from './report.testdata';

const step = (
  number: number,
  per_s: number,
  result: CapacityTried['result'],
  p99_ms: number,
): CapacityTried => ({
  number,
  t_s: number - 1,
  seconds: 1,
  per_s,
  achieved_per_s: result === 'missed' ? per_s * 0.9 : per_s,
  due: per_s,
  served: result === 'missed' ? per_s * 0.9 : per_s,
  failed: result === 'missed' ? per_s * 0.1 : 0,
  p50_us: 400,
  p90_us: 900,
  p99_us: p99_ms * 1000,
  p999_us: null,
  result,
  reason: result === 'void' ? 'the generator was late' : '',
});

/** A search that found about `per_s`, or one that ended otherwise. */
export function aSearch(per_s: number, changes: Partial<CapacitySearch> = {}): CapacitySearch {
  return {
    stream: 'clients',
    goal: { p99_ms: 50, errors_percent: 0.1 },
    goal_text: 'p99 ≤ 50 ms and errors ≤ 0.1 %',
    from_per_s: 100,
    to_per_s: 20_000,
    ended: 'found',
    capacity_per_s: per_s,
    low_per_s: 0.98 * per_s,
    high_per_s: 1.02 * per_s,
    met_per_s: 0.98 * per_s,
    missed_per_s: 1.03 * per_s,
    without_value: null,
    steps: [
      step(1, 100, 'met', 1.2),
      step(2, 2 * per_s, 'missed', 400),
      step(3, 0.9 * per_s, 'met', 8),
      step(4, 1.03 * per_s, 'missed', 70),
      step(5, 0.98 * per_s, 'met', 30),
      step(6, 0.98 * per_s, 'void', 90),
    ],
    ...changes,
  };
}

const METRIC = 'capacity_per_s';

/** The report of a run whose trials search; `searches`: of the trials by their places. */
export function aSearchedReport(searches: (place: number) => CapacitySearch[]): Report {
  const report = withSummaries((_, place) => ({ searches: searches(place), usable: true }));
  const arms = aReport().analysis.arms.map((arm) => {
    const own = report.trials.filter(({ trial }) => trial.arm === arm.key);
    const values = own.flatMap(({ trial, summary }) => {
      const value = summary.searches?.[0]?.capacity_per_s;
      return value == null ? [] : [{ block: trial.block, trial_id: trial.id, value }];
    });
    const mean = values[0]?.value ?? null;
    const metric = { metric: METRIC, values, mean, mean_kind: 'geometric' as const, comparison: null };
    return { ...arm, metrics: [...arm.metrics, { ...metric, no_comparison_reason: null }] };
  });
  return { ...report, analysis: { ...report.analysis, arms } };
}
