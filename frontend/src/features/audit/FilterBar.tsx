import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { ACT_OPTIONS } from './acts';
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

export function FilterBar({ filter, set, clear, isFiltered }: Props) {
  const to = (field: FilterField) => (text: string) => set(field, text.trim());
  return (
    <section className={classes.filter} aria-label="Filter">
      <Search label="Who" placeholder="E-mail, token or host" value={filter.actor} onSearch={to('actor')} />
      <Select
        label="What"
        placeholder="Everything"
        searchable
        clearable
        data={ACT_OPTIONS}
        value={filter.act || null}
        onChange={(act) => set('act', act ?? '')}
      />
      <Search label="On" placeholder="Host, run, account, …" value={filter.object} onSearch={to('object')} />
      {(['from', 'to'] as const).map((field) => (
        <TextInput
          key={field}
          type="date"
          label={field === 'from' ? 'From' : 'To'}
          value={filter[field]}
          onChange={(event) => set(field, event.currentTarget.value)}
        />
      ))}
      <Button variant="default" size="sm" onClick={clear} disabled={!isFiltered}>
        Clear
      </Button>
    </section>
  );
}
