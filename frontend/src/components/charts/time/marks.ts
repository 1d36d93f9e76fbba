import type { ActionMark } from '@/api/generated';
import { type Outcome, outcomeOf } from '@/domain/actions';

/** An instant to mark: of one action, or of several that would stand on the same pixels. */
export interface Tick {
  t: number;
  outcome: Outcome;
}

export interface Band {
  from: number;
  to: number;
  outcome: Outcome;
}

export interface PlacedMarks {
  ticks: Tick[];
  bands: Band[];
  /** The more there are, the fainter, so that the lines stay what is seen first. */
  opacity: number;
}

type Domain = readonly [number, number];

/** Actions closer than this share of the axis are one tick. */
const SLOTS = 120;
/** An action this long, as a share of the axis, is a band. */
const BAND_SHARE = 0.01;
const WEIGHT: Record<Outcome, number> = { done: 0, skipped: 1, failed: 2 };

function opacityOf(ticks: number): number {
  if (ticks <= 12) return 0.75;
  return ticks <= 40 ? 0.45 : 0.25;
}

/** Where to draw what perturbations did. Of actions on one place, the one that went wrong is shown. */
export function placeMarks(actions: readonly ActionMark[], [start, end]: Domain): PlacedMarks {
  const span = end - start || 1;
  const slots = new Map<number, Tick>();
  const bands: Band[] = [];
  for (const mark of actions) {
    const outcome = outcomeOf(mark);
    const until = mark.ended_s ?? end;
    if (until < start || mark.t_s > end) continue;
    if (outcome !== 'skipped' && until - mark.t_s >= span * BAND_SHARE) {
      bands.push({ from: Math.max(start, mark.t_s), to: Math.min(end, until), outcome });
      continue;
    }
    const slot = Math.round(((mark.t_s - start) / span) * SLOTS);
    const known = slots.get(slot);
    if (!known || WEIGHT[outcome] > WEIGHT[known.outcome]) slots.set(slot, { t: mark.t_s, outcome });
  }
  const ticks = [...slots.values()];
  return { ticks, bands, opacity: opacityOf(ticks.length + bands.length) };
}

/** What happened at an instant of the axis, at most so many. */
export function marksAt(actions: readonly ActionMark[], t: number, [start, end]: Domain): ActionMark[] {
  const near = (end - start) / SLOTS;
  return actions.filter(({ t_s, ended_s }) => t_s - near <= t && t <= Math.max(t_s, ended_s ?? end) + near);
}
