import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { RunComparison } from '@/api/generated';
import { type Said, said } from '@/lib/language/serverText';

/** Why nothing can be compared, where that is the same for all arms: it is said once, and not at each of them. */
export function commonRefusal({ arms }: RunComparison): Said | null {
  const reasons = arms.filter(({ against }) => against !== null).map(({ refused }) => refused);
  return new Set(reasons.map((reason) => reason && said(reason))).size === 1 ? (reasons[0] ?? null) : null;
}

/** All of a comparison's state, as its address has it. */
export interface Asked {
  runs: string[];
  /** `RUN:ARM` or `ARM`; all arms if there are none. */
  arms: string[];
  /** `RUN` or `RUN:ARM`; the oldest run if empty. */
  baseline: string;
  /** Keys of the differences that are asked about. */
  factors: string[];
}

const listOf = (text: string | null) => [...new Set((text ?? '').split(',').filter(Boolean))];

function written({ runs, arms, baseline, factors }: Asked): URLSearchParams {
  const next = new URLSearchParams();
  if (runs.length > 0) next.set('runs', runs.join(','));
  if (arms.length > 0) next.set('arms', arms.join(','));
  if (baseline && baseline !== runs[0]) next.set('baseline', baseline);
  if (factors.length > 0) next.set('factor', factors.join(','));
  return next;
}

const runOf = (key: string) => key.split(':')[0] ?? '';

/** Without arms and a baseline of runs that are no longer compared. */
function consistent(asked: Asked): Asked {
  const known = (key: string) => !key.includes(':') || asked.runs.includes(runOf(key));
  const baseline = asked.runs.includes(runOf(asked.baseline)) ? asked.baseline : '';
  return { ...asked, arms: asked.arms.filter(known), baseline };
}

/** The comparison that the address asks for, and a way to ask for another. */
export function useAsked(): [Asked, (changes: Partial<Asked>) => void] {
  const [params, setParams] = useSearchParams();
  const asked = useMemo(
    () => ({
      runs: listOf(params.get('runs')),
      arms: listOf(params.get('arms')),
      baseline: params.get('baseline') ?? '',
      factors: listOf(params.get('factor')),
    }),
    [params],
  );
  const ask = (changes: Partial<Asked>) =>
    setParams(written(consistent({ ...asked, ...changes })), { preventScrollReset: true });
  return [asked, ask];
}
