import { t } from '@lingui/core/macro';
import { Button, Checkbox, MultiSelect, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { ListRunsData, RunChoices } from '@/api/generated';
import { useRunChoices } from '@/api/runs';
import type { RunOrder } from '@/components/runs/RunsTable';
import { SearchField } from '@/components/ui/SearchField';
import type { Sort } from '@/components/ui/table/HeadRow';
import { nameOfState } from '@/domain/states';
import { tagsIn } from '@/domain/tags';
import { useAddress } from '@/lib/useAddress';
import classes from './FilterBar.module.css';

const DAY_MS = 86_400_000;

type Period = 'today' | 'week' | 'month' | 'last-month';

/** The first and the last day, as an address has them; the last is left out where it is today. */
interface Days {
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

type RunQuery = NonNullable<ListRunsData['query']>;

const FIELDS = [
  'search',
  'state',
  'verdict',
  'template',
  'host',
  'nginx',
  'by',
  'tag',
  'branch',
  'since',
  'until',
  'starred',
] as const;
type FilterField = (typeof FIELDS)[number];
type Filter = Record<FilterField, string>;

const STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
const VERDICTS = ['decided', 'undecided', 'not_valid'] as const;
const ORDERS = ['created', 'name', 'state', 'duration'] as const;
/** As the server orders them anyway. */
const NEWEST_FIRST = '-created';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const oneOf = <T extends string>(known: readonly T[], text: string) => known.find((one) => one === text);

/** What the server is asked; what an address has that is no such filter is left out. */
function asQuery(filter: Filter, sort: string): RunQuery {
  const order = sort === NEWEST_FIRST ? undefined : oneOf(ORDERS, sort.replace(/^-/, ''));
  const query: RunQuery = {
    ...filter,
    state: oneOf(STATES, filter.state),
    verdict: oneOf(VERDICTS, filter.verdict),
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

interface DaysFilterProps {
  days: Days;
  onChoose: (days: Days) => void;
  /** The chosen one of the usual periods. */
  className?: string | undefined;
}

const periods = (): { value: Period; label: string }[] => [
  { value: 'today', label: t`Today` },
  { value: 'week', label: t`Last 7 days` },
  { value: 'month', label: t`Last 30 days` },
  { value: 'last-month', label: t`Last month` },
];

/** When runs were created: a usual period, or days. */
function DaysFilter({ days: { since, until }, onChoose, className }: DaysFilterProps) {
  const now = Date.now();
  const isReversed = since !== '' && until !== '' && since > until;
  return (
    <>
      <Select
        className={className}
        label={t`Created (UTC)`}
        placeholder={since || until ? t`Other days` : t`Any`}
        clearable={Boolean(since || until)}
        data={periods()}
        value={periodOf({ since, until }, now)}
        onChange={(period) => onChoose(period ? daysOf(period as Period, now) : { since: '', until: '' })}
      />
      <TextInput
        type="date"
        label={t`From`}
        value={since}
        error={isReversed && t`From is after To`}
        onChange={(event) => onChoose({ since: event.currentTarget.value, until })}
      />
      <TextInput
        type="date"
        label={t`To`}
        value={until}
        onChange={(event) => onChoose({ since, until: event.currentTarget.value })}
      />
    </>
  );
}

type Props = ReturnType<typeof useRunFilter>;
type Options = (string | { value: string; label: string })[];

const states = () => STATES.map((state) => ({ value: state, label: nameOfState(state) }));
const verdicts = () => [
  { value: 'decided', label: t`decided` },
  { value: 'undecided', label: t`undecided` },
  { value: 'not_valid', label: t`not valid` },
];

/** What the address names stays in the list, also before the choices are known. */
const withChosen = (data: Options, chosen: string): Options =>
  chosen === '' || data.some((one) => (typeof one === 'string' ? one : one.value) === chosen)
    ? data
    : [...data, chosen];

/** Runs that have all of the chosen tags. */
function Tags({ filter, set, known }: Pick<Props, 'filter' | 'set'> & { known: readonly string[] }) {
  const chosen = tagsIn(filter.tag);
  return (
    <MultiSelect
      label={t`Tags`}
      className={classes.tags}
      placeholder={chosen.length === 0 ? t`Any` : undefined}
      searchable
      clearable
      data={[...new Set([...known, ...chosen])]}
      value={chosen}
      nothingFoundMessage={known.length === 0 ? t`No run has a tag yet` : t`No such tag`}
      onChange={(tags) => set('tag', tags.join(','))}
    />
  );
}

const selectsOf = (choices: RunChoices | undefined): [FilterField, string, Options][] => [
  ['state', t`State`, states()],
  ['verdict', t`Verdict`, verdicts()],
  ['template', t`Template`, choices?.templates ?? []],
  ['host', t`Host`, choices?.hosts ?? []],
  ['nginx', 'nginx', choices?.nginx ?? []],
  ['by', t`Person`, choices?.people ?? []],
  ['branch', t`Branch`, choices?.branches ?? []],
];

/** The list's filter: words, and what its runs can be told apart by. A phone shows what is asked most; the rest is folded. */
export function FilterBar({ filter, set, setDays, clear, isFiltered }: Props) {
  const choices = useRunChoices().data;
  const [isOpen, setOpen] = useState(isFiltered);
  return (
    <section className={classes.filter} aria-label={t`Filter`} data-open={isOpen || undefined}>
      <SearchField
        label={t`Search`}
        placeholder={t`Name, note, verdict, host or #number`}
        leftSection={<IconSearch size={14} />}
        className={classes.search}
        value={filter.search}
        onSearch={(text) => set('search', text)}
      />
      <DaysFilter days={filter} onChoose={setDays} className={classes.period} />
      <Button
        variant="default"
        className={classes.toggle}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? t`Fewer filters` : t`More filters`}
      </Button>
      {selectsOf(choices)
        .filter(([field, , data]) => field !== 'branch' || data.length > 0 || filter.branch !== '')
        .map(([field, label, data]) => (
          <Select
            key={field}
            label={label}
            placeholder={t`Any`}
            clearable
            data={withChosen(data, filter[field])}
            value={filter[field] || null}
            onChange={(value) => set(field, value ?? '')}
          />
        ))}
      <Tags filter={filter} set={set} known={choices?.tags ?? []} />
      <Checkbox
        label={t`Starred`}
        className={classes.check}
        checked={filter.starred !== ''}
        onChange={(event) => set('starred', event.currentTarget.checked ? 'true' : '')}
      />
      <Button variant="default" size="sm" onClick={clear} disabled={!isFiltered}>
        {t`Clear`}
      </Button>
    </section>
  );
}
