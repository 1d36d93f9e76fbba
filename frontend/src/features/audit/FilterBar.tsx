import { t } from '@lingui/core/macro';
import { Button, Select, TextInput } from '@mantine/core';
import type { ListAuditEntriesData } from '@/api/generated';
import { SearchField } from '@/components/ui/SearchField';
import { useAddress } from '@/lib/useAddress';
import { actOptions, isAct } from './acts';
import classes from './audit.module.css';

export type AuditQuery = Omit<NonNullable<ListAuditEntriesData['query']>, 'start' | 'limit'>;

const FIELDS = ['actor', 'act', 'object', 'from', 'to'] as const;
type FilterField = (typeof FIELDS)[number];
type Filter = Record<FilterField, string>;

/** The start of a day on the reader's clock; none for what is no date. */
function startOf(date: string, daysLater = 0): string | undefined {
  const [year, month, day] = date.split('-').map(Number);
  if (!year || !month || !day) return undefined;
  return new Date(year, month - 1, day + daysLater).toISOString();
}

/** The query for the server; both dates are included. */
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

const days = () =>
  [
    ['from', t({ message: 'From', context: 'date' })],
    ['to', t({ message: 'To', context: 'date' })],
  ] as const;

export function FilterBar({ filter, set, clear, isFiltered }: ReturnType<typeof useAuditFilter>) {
  return (
    <section className={classes.filter} aria-label={t`Filter`}>
      <SearchField
        label={t({ message: 'Who', context: 'audit' })}
        placeholder={t`E-mail, token or host`}
        value={filter.actor}
        onSearch={(text) => set('actor', text)}
      />
      <Select
        label={t({ message: 'What', context: 'audit' })}
        placeholder={t`Everything`}
        searchable
        clearable
        data={actOptions()}
        value={filter.act || null}
        onChange={(act) => set('act', act ?? '')}
      />
      <SearchField
        label={t({ message: 'On', context: 'audit' })}
        placeholder={t`Host, run, account, …`}
        value={filter.object}
        onSearch={(text) => set('object', text)}
      />
      {days().map(([field, label]) => (
        <TextInput
          key={field}
          type="date"
          label={label}
          value={filter[field]}
          onChange={(event) => set(field, event.currentTarget.value)}
        />
      ))}
      <Button variant="default" size="sm" onClick={clear} disabled={!isFiltered}>
        {t`Clear`}
      </Button>
    </section>
  );
}
