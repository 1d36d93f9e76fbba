import type { HistoryPart } from '@/api/generated';

/** What spares a run unless it is asked for. */
export const SPARING = ['starred', 'shared', 'others'] as const;
export type Sparing = (typeof SPARING)[number];
/** `verdicts`: the runs themselves, not only their raw data. */
export type Choice = Record<Sparing | 'verdicts', boolean>;

interface Amount {
  runs: number;
  bytes: number;
}

/** Of the runs that such a deletion takes. */
export function chosen(parts: readonly HistoryPart[], choice: Choice): Amount {
  const taken = parts.filter(
    (part) => (choice.verdicts || part.raw) && SPARING.every((sparing) => choice[sparing] || !part[sparing]),
  );
  return {
    runs: taken.reduce((sum, part) => sum + part.runs, 0),
    bytes: taken.reduce((sum, part) => sum + part.raw_bytes, 0),
  };
}

/** How many runs this alone, or with something else, spares. */
export function spared(parts: readonly HistoryPart[], sparing: Sparing, choice: Choice): number {
  const own = parts.filter((part) => part[sparing] && (choice.verdicts || part.raw));
  return own.reduce((sum, part) => sum + part.runs, 0);
}
