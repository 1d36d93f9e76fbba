import type { ListRunsData } from '@/api/generated';
import type { RunOrder } from '@/components/runs/RunsTable';
import type { Sort } from '@/components/ui/table/HeadRow';
import { tagsIn } from '@/domain/tags';
import { useAddress } from '@/lib/useAddress';

const DAY_MS = 86_400_000;

export type Period = 'today' | 'week' | 'month' | 'last-month';

/** The first and the last day, as an address has them; the last is left out where it is today. */
export interface Days {
  since: string;
  until: string;
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The days (UTC) of a period that ends now, or of the calendar month before this one. */
export function daysOf(period: Period, now: number): Days {
  if (period === 'today') return { since: day(now), until: '' };
  if (period === 'week') return { since: day(now - 6 * DAY_MS), until: '' };
  if (period === 'month') return { since: day(now - 29 * DAY_MS), until: '' };
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  return { since: day(Date.UTC(year, month - 1, 1)), until: day(Date.UTC(year, month, 0)) };
}

const PERIODS: readonly Period[] = ['today', 'week', 'month', 'last-month'];

/** The period of these days; none where somebody chose others. */
export function periodOf({ since, until }: Days, now: number): Period | null {
  return (
    PERIODS.find((period) => {
      const days = daysOf(period, now);
      return days.since === since && days.until === until;
    }) ?? null
  );
}

export type RunQuery = NonNullable<ListRunsData['query']>;

const FIELDS = [
  'search',
  'state',
  'verdict',
  'template',
  'host',
  'nginx',
  'by',
  'tag',
  'since',
  'until',
  'starred',
] as const;
export type FilterField = (typeof FIELDS)[number];
type Filter = Record<FilterField, string>;

export const STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
const VERDICTS = ['decided', 'undecided', 'not_valid'] as const;
const ORDERS = ['created', 'name', 'state', 'duration'] as const;
/** As the server orders them anyway. */
const NEWEST_FIRST = '-created';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const oneOf = <T extends string>(known: readonly T[], text: string) => known.find((one) => one === text);

/** What the server is asked; what an address has that is no such filter is left out. */
export function asQuery(filter: Filter, sort: string): RunQuery {
  const order = sort === NEWEST_FIRST ? undefined : oneOf(ORDERS, sort.replace(/^-/, ''));
  const query: RunQuery = {
    search: filter.search,
    state: oneOf(STATES, filter.state),
    verdict: oneOf(VERDICTS, filter.verdict),
    template: filter.template,
    host: filter.host,
    nginx: filter.nginx,
    by: filter.by,
    tag: filter.tag ? tagsIn(filter.tag) : undefined,
    since: DATE.test(filter.since) ? filter.since : undefined,
    until: DATE.test(filter.until) ? filter.until : undefined,
    starred: filter.starred ? true : undefined,
    order,
    ascending: order && !sort.startsWith('-') ? true : undefined,
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value)) as RunQuery;
}

/** The filter, the order and the page live in the address, so that a list can be passed on. */
export function useRunFilter() {
  const [params, changeAddress] = useAddress();
  const filter = Object.fromEntries(FIELDS.map((field) => [field, params.get(field) ?? ''])) as Filter;
  const sort = params.get('sort') ?? NEWEST_FIRST;
  /** Other runs, or another order, begin with their first page. */
  const change = (values: Record<string, string>) => changeAddress({ page: null, ...values });
  const sortOf = (order: RunOrder): Sort => {
    const direction = sort === order ? 'ascending' : sort === `-${order}` ? 'descending' : null;
    return { direction, onSort: () => change({ sort: direction === 'descending' ? order : `-${order}` }) };
  };
  return {
    filter,
    query: asQuery(filter, sort),
    page: Number(params.get('page')) || 1,
    isFiltered: FIELDS.some((field) => filter[field] !== ''),
    set: (field: FilterField, value: string) => change({ [field]: value }),
    setDays: (days: Pick<Filter, 'since' | 'until'>) => change(days),
    setPage: (page: number) => change({ page: page > 1 ? String(page) : '' }),
    clear: () => change({ sort: '', ...Object.fromEntries(FIELDS.map((field) => [field, ''])) }),
    sortOf,
  };
}
