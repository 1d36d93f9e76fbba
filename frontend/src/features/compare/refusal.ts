import type { RunComparison } from '@/api/generated';

/** Why nothing can be compared, where that is the same for all arms: it is said once, and not at each of them. */
export function commonRefusal({ arms }: RunComparison): string | null {
  const reasons = new Set(arms.filter(({ against }) => against !== null).map(({ refused }) => refused));
  const [only = null] = reasons;
  return reasons.size === 1 ? only : null;
}
