import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { actOptions } from './acts';
import classes from './audit.module.css';
import type { FilterField, useAuditFilter } from './useAuditFilter';

type Props = ReturnType<typeof useAuditFilter>;

const SOON_MS = 250;

interface SearchProps {
  label: string;
  placeholder: string;
  value: string;
  onSearch: (text: string) => void;
}

function Search({ label, placeholder, value, onSearch }: SearchProps) {
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
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        searchSoon(event.currentTarget.value);
      }}
    />
  );
}

const days = () =>
  [
    ['from', t({ message: 'From', context: 'date' })],
    ['to', t({ message: 'To', context: 'date' })],
  ] as const;

export function FilterBar({ filter, set, clear, isFiltered }: Props) {
  const to = (field: FilterField) => (text: string) => set(field, text.trim());
  return (
    <section className={classes.filter} aria-label={t`Filter`}>
      <Search
        label={t({ message: 'Who', context: 'audit' })}
        placeholder={t`E-mail, token or host`}
        value={filter.actor}
        onSearch={to('actor')}
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
      <Search
        label={t({ message: 'On', context: 'audit' })}
        placeholder={t`Host, run, account, …`}
        value={filter.object}
        onSearch={to('object')}
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
        <Trans>Clear</Trans>
      </Button>
    </section>
  );
}
