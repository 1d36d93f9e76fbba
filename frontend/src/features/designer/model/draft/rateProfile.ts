import { instantsOf } from '@/domain/mix/arrivals';
import type { DraftOpenLoop, DraftStream } from './streamDraft';
import type { NumberText } from './values';

export interface RatePoint {
  t_s: number;
  per_s: number;
}

const isNumber = (value: NumberText | null): value is number => typeof value === 'number' && value >= 0;

/**
 * The planned rate as a line through its corners, from the stream's start to `end_s`. After the last step its last
 * rate goes on; what lies beyond `end_s` is cut off. Null where a value depends on the arm or is not a number yet.
 */
export function rateProfile(openLoop: DraftOpenLoop, end_s: number): RatePoint[] | null {
  const { rate_per_s, steps, replay } = openLoop;
  if (replay) return isNumber(replay.speed) ? replayProfile(replay.gaps, replay.speed, end_s) : null;
  if (steps.length === 0)
    return isNumber(rate_per_s)
      ? [
          { t_s: 0, per_s: rate_per_s },
          { t_s: end_s, per_s: rate_per_s },
        ]
      : null;
  const points: RatePoint[] = [];
  let t_s = 0;
  for (const { per_s, to_per_s, duration_s } of steps) {
    if (!isNumber(per_s) || !isNumber(duration_s) || (to_per_s !== null && !isNumber(to_per_s))) return null;
    const last = to_per_s ?? per_s;
    const lasts = Math.max(0, Math.min(duration_s, end_s - t_s));
    points.push({ t_s, per_s });
    points.push({
      t_s: t_s + lasts,
      per_s: duration_s > 0 ? per_s + ((last - per_s) * lasts) / duration_s : last,
    });
    t_s += lasts;
    if (t_s >= end_s) return points;
  }
  return [...points, { t_s: end_s, per_s: points.at(-1)?.per_s ?? 0 }];
}

const PARTS = 120;
/** Requests; a log that is begun again more often is not drawn to its end. */
const MOST_COUNTED = 1_000_000;

/** How many requests of a log fall into each part of the time, round after round. */
function replayProfile(gaps: string, speed: number, end_s: number): RatePoint[] | null {
  const instants = instantsOf(gaps);
  const round_s = (instants.pop() ?? 0) / speed;
  if (!(round_s > 0)) return null;
  const counts = new Array<number>(PARTS).fill(0);
  const countOf = (from_s: number) => {
    for (const instant of instants) {
      const part = Math.floor(((from_s + instant / speed) / end_s) * PARTS);
      if (part >= PARTS) return;
      counts[part] = (counts[part] ?? 0) + 1;
    }
  };
  const rounds = Math.min(Math.ceil(end_s / round_s), Math.ceil(MOST_COUNTED / instants.length));
  for (let round = 0; round < rounds; round += 1) countOf(round * round_s);
  return counts.flatMap((count, part) => {
    const per_s = (count * PARTS) / end_s;
    return [part, part + 1].map((edge) => ({ t_s: (edge / PARTS) * end_s, per_s }));
  });
}

/** How many requests the profile asks for in all: the area below it. */
export function requestsOf(points: readonly RatePoint[]): number {
  return points.slice(1).reduce((sum, point, index) => {
    const before = points[index] as RatePoint;
    return sum + ((before.per_s + point.per_s) / 2) * (point.t_s - before.t_s);
  }, 0);
}

/** Seconds that a stream runs within warm-up and measurement; null where that is not a number yet. */
export function lengthOf(
  { start_offset_s, duration_s }: DraftStream,
  plan: { warmup_s: NumberText; measure_s: NumberText },
): number | null {
  if (isNumber(duration_s)) return duration_s;
  const { warmup_s, measure_s } = plan;
  if (!isNumber(warmup_s) || !isNumber(measure_s) || !isNumber(start_offset_s)) return null;
  return Math.max(0, warmup_s + measure_s - start_offset_s);
}
