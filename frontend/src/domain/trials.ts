import { t } from '@lingui/core/macro';
import type { RunArm, TrialOut } from '@/api/generated';

/** The latest attempt at each position of the plan, in the order of execution. */
export function latestAttempts(trials: readonly TrialOut[]): TrialOut[] {
  const byPosition = new Map<number, TrialOut>();
  for (const trial of trials) {
    const known = byPosition.get(trial.position);
    if (!known || trial.attempt >= known.attempt) byPosition.set(trial.position, trial);
  }
  return [...byPosition.values()].sort((a, b) => a.position - b.position);
}

export function armIndex(arms: readonly { key: string }[], key: string): number {
  return Math.max(
    0,
    arms.findIndex((arm) => arm.key === key),
  );
}

export function armLabel(arms: readonly Pick<RunArm, 'key' | 'label'>[], key: string): string {
  return arms.find((arm) => arm.key === key)?.label ?? key;
}

/** `block 3`, or `heat 1, block 2` of a trial that only chooses the arms. */
export function placeOf({ heat, block }: Pick<TrialOut, 'heat' | 'block'>): string {
  return heat ? t`heat ${heat}, block ${block}` : t`block ${block}`;
}
