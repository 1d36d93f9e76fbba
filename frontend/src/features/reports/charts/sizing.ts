import type { SizedRate } from '@/api/generated';

interface Hosts {
  hosts: number;
  /** By the upper and the lower end of the interval. */
  between: readonly [number, number] | null;
}

/** How many such hosts serve `per_s` requests a second in all, of which each keeps a reserve; `null`: nobody knows. */
export function hostsFor(rate: SizedRate, per_s: number, reserve_percent: number): Hosts | null {
  const share = 1 - reserve_percent / 100;
  if (rate.per_s == null || !(per_s > 0) || !(share > 0)) return null;
  const count = (each: number) => Math.ceil(per_s / (each * share) - 1e-9);
  const between =
    rate.low == null || rate.high == null ? null : ([count(rate.high), count(rate.low)] as const);
  return { hosts: count(rate.per_s), between };
}
