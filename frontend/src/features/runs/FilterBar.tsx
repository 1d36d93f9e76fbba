import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, MultiSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { RunChoices } from '@/api/generated';
import { useRunChoices } from '@/api/runs';
import { nameOfState } from '@/domain/states';
import { tagsIn } from '@/domain/tags';
import classes from './FilterBar.module.css';
import {
  type Days,
  daysOf,
  type FilterField,
  type Period,
  periodOf,
  STATES,
  type useRunFilter,
} from './useRunFilter';

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

const SOON_MS = 250;
const states = () => STATES.map((state) => ({ value: state, label: nameOfState(state) }));
const verdicts = () => [
  { value: 'decided', label: t`decided` },
  { value: 'undecided', label: t`undecided` },
  { value: 'not_valid', label: t`not valid` },
];

function Search({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(value);
  const [asked, setAsked] = useState(value);
  const searchSoon = useDebouncedCallback(onSearch, SOON_MS);
  if (asked !== value) {
    setAsked(value);
    if (value === '') setText(''); // cleared from outside; otherwise it is what was typed here
  }
  return (
    <TextInput
      type="search"
      label={t`Search`}
      placeholder={t`Name, note, verdict, host or #number`}
      leftSection={<IconSearch size={14} />}
      className={classes.search}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        searchSoon(event.currentTarget.value);
      }}
    />
  );
}

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
];

/** The list's filter: words, and what its runs can be told apart by. A phone shows what is asked most; the rest is folded. */
export function FilterBar({ filter, set, setDays, clear, isFiltered }: Props) {
  const choices = useRunChoices().data;
  const [isOpen, setOpen] = useState(isFiltered);
  return (
    <section className={classes.filter} aria-label={t`Filter`} data-open={isOpen || undefined}>
      <Search value={filter.search} onSearch={(text) => set('search', text.trim())} />
      <DaysFilter days={filter} onChoose={setDays} className={classes.period} />
      <Button
        variant="default"
        className={classes.toggle}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? t`Fewer filters` : t`More filters`}
      </Button>
      {selectsOf(choices).map(([field, label, data]) => (
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
        <Trans>Clear</Trans>
      </Button>
    </section>
  );
}
