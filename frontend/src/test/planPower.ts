import type { PlanPower } from '@/api/generated';

/** What a plan can find on hosts that nobody has calibrated. */
export function aPlanPower(changes: Partial<PlanPower> = {}): PlanPower {
  return {
    arms: 2,
    blocks: 5,
    source: null,
    source_run_id: null,
    source_at: null,
    unknown: 'calibrate this host.',
    metrics: [],
    text: 'What this plan can find is unknown: calibrate this host.',
    ...changes,
  };
}
