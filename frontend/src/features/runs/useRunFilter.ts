import type { ListRunsData } from '@/api/generated';
import type { RunOrder } from '@/components/runs/RunsTable';
import type { Sort } from '@/components/ui/table/HeadRow';
import { tagsIn } from '@/domain/tags';
import { useAddress } from '@/lib/address/useAddress';

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
