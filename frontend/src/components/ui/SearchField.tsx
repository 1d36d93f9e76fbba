import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const SOON_MS = 250;

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What is searched for now. */
  value: string;
  onSearch: (text: string) => void;
}

/** Searches once its reader stops typing. */
export function SearchField({ value, onSearch, ...props }: Props) {
  const [text, setText] = useState(value);
  const [asked, setAsked] = useState(value);
  const searchSoon = useDebouncedCallback((typed: string) => onSearch(typed.trim()), SOON_MS);
  if (asked !== value) {
    setAsked(value);
    if (value === '') setText(''); // cleared from outside; otherwise it is what was typed here
  }
  return (
    <TextInput
      type="search"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        searchSoon(currentTarget.value);
      }}
      {...props}
    />
  );
}
