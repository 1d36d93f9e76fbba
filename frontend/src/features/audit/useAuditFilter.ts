import { useAddress } from '@/lib/address/useAddress';
import { isAct } from './acts';
import type { AuditQuery } from './api/useAuditEntries';

const FIELDS = ['actor', 'act', 'object', 'from', 'to'] as const;
export type FilterField = (typeof FIELDS)[number];
type Filter = Record<FilterField, string>;

/** The start of a day on the reader's clock; none for what is no date. */
function startOf(date: string, daysLater = 0): string | undefined {
  const [year, month, day] = date.split('-').map(Number);
  if (!year || !month || !day) return undefined;
  return new Date(year, month - 1, day + daysLater).toISOString();
}

/** What the server is asked; both dates are included. */
export function asQuery({ actor, act, object, from, to }: Filter): AuditQuery {
  const since = startOf(from);
  const until = startOf(to, 1);
  return {
    ...(actor && { actor }),
    ...(isAct(act) && { act: [act] }),
    ...(object && { object }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** The filter lives in the address, so that it can be passed on. */
export function useAuditFilter() {
  const [params, change] = useAddress();
  const filter = Object.fromEntries(FIELDS.map((field) => [field, params.get(field) ?? ''])) as Filter;
  const set = (field: FilterField, value: string) => change({ [field]: value });
  const clear = () => change(Object.fromEntries(FIELDS.map((field) => [field, null])));
  return { filter, set, clear, isFiltered: FIELDS.some((field) => filter[field] !== '') };
}
