import type { CurvePoint, CurveRate } from '@/api/generated';

/** One trial's curve as far as it has come. */
export interface LiveCurve {
  trial_id: string;
  planned: number;
  rates: CurveRate[];
}

export interface CurveEvent {
  trial_id: string;
  planned: number;
  rate: CurveRate;
}

export const curvesKey = (runId: string) => ['curves', runId] as const;

/** `curves` with a rate more. The stream may repeat what it has told. */
export function withCurveEvent(curves: readonly LiveCurve[], event: CurveEvent): LiveCurve[] {
  const { trial_id, planned, rate } = event;
  const known = curves.find((one) => one.trial_id === trial_id);
  const rates = (known?.rates ?? []).filter(({ number }) => number !== rate.number);
  const all = [...rates, rate].sort((a, b) => a.number - b.number);
  return [...curves.filter((one) => one !== known), { trial_id, planned, rates: all }];
}

/** A trial's rates as the points of a curve, from the lowest up. */
export function pointsOf(rates: readonly CurveRate[]): CurvePoint[] {
  const alone = (value: number | null) => (value === null ? null : { mean: value, low: null, high: null });
  return [...rates]
    .sort((a, b) => a.per_s - b.per_s)
    .map((rate) => {
      const isKnown = rate.followed && !rate.generator_late;
      const counts = rate.followed || !rate.generator_late;
      return {
        per_s: rate.per_s,
        trials: counts ? 1 : 0,
        late: rate.generator_late ? 1 : 0,
        followed: rate.followed ? 1 : 0,
        throughput: counts ? alone(rate.achieved_per_s) : null,
        errors_percent: rate.due > 0 ? alone((100 * rate.failed) / rate.due) : null,
        p50_us: isKnown ? alone(rate.p50_us) : null,
        p90_us: isKnown ? alone(rate.p90_us) : null,
        p99_us: isKnown ? alone(rate.p99_us) : null,
        p999_us: isKnown ? alone(rate.p999_us) : null,
      };
    });
}
