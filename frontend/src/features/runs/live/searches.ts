import type { CapacitySearch, CapacityTried } from '@/api/generated';

/** One trial's search as far as it has come. */
export interface LiveSearch {
  trial_id: string;
  search: CapacitySearch;
  steps: CapacityTried[];
}

export interface SearchEvent {
  trial_id: string;
  search: CapacitySearch;
  step: CapacityTried | null;
}

export const searchesKey = (runId: string) => ['searches', runId] as const;

/** `searches` with a step more, or with what was found. The stream may repeat what it has told. */
export function withSearchEvent(searches: readonly LiveSearch[], event: SearchEvent): LiveSearch[] {
  const { trial_id, search, step } = event;
  const known = searches.find((one) => one.trial_id === trial_id);
  const others = searches.filter((one) => one !== known);
  const steps = (known?.steps ?? []).filter(({ number }) => number !== step?.number);
  const has = known?.search.ended != null && search.ended == null;
  const all = step ? [...steps, step].sort((a, b) => a.number - b.number) : steps;
  return [...others, { trial_id, search: has ? known.search : search, steps: all }];
}
