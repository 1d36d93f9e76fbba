import { t } from '@lingui/core/macro';
import type { RunArm, TrialOut } from '@/api/generated';
import { named } from '@/lib/language/serverText';

/** The latest attempt at each position of the plan, in the order of execution. */
export function latestAttempts(trials: readonly TrialOut[]): TrialOut[] {
  const byPosition = new Map<number, TrialOut>();
  for (const trial of trials) {
    const known = byPosition.get(trial.position);
    if (!known || trial.attempt >= known.attempt) byPosition.set(trial.position, trial);
  }
  return [...byPosition.values()].sort((a, b) => a.position - b.position);
}

/** Those that count: trials that only profile belong to no block, and no verdict knows them. */
export const counted = <Trial extends Pick<TrialOut, 'profile'>>(trials: readonly Trial[]): Trial[] =>
  trials.filter(({ profile }) => !profile);

export function armIndex(arms: readonly { key: string }[], key: string): number {
  return Math.max(
    0,
    arms.findIndex((arm) => arm.key === key),
  );
}

export function armLabel(arms: readonly Pick<RunArm, 'key' | 'label'>[], key: string): string {
  return named(arms.find((arm) => arm.key === key)?.label ?? key);
}

/** `block 3`, `heat 1, block 2` of a trial that only chooses the arms, or `profile` of one that only profiles. */
export function placeOf({ heat, block, profile }: Pick<TrialOut, 'heat' | 'block' | 'profile'>): string {
  if (profile) return t`profile`;
  return heat ? t`heat ${heat}, block ${block}` : t`block ${block}`;
}
