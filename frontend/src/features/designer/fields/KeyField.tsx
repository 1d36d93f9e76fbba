import { TextInput } from '@mantine/core';
import { memo, useState } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import classes from './fields.module.css';

interface Props {
  path: string;
  label: string;
  hideLabel?: boolean;
  rename: (draft: Draft, key: string) => Draft;
}

/**
 * A key that others refer to. It counts when the field is left: half-typed keys would tie what refers to this one to
 * another that has the same name for a moment.
 */
export const KeyField = memo(function KeyField({ path, label, hideLabel, rename }: Props) {
  const store = useStore();
  const value = useValue<string>(path);
  const problems = useField(path, label);
  const [typed, setTyped] = useState<string | null>(null);
  function commit() {
    if (typed !== null && typed !== value) store.change((draft) => rename(draft, typed.trim()));
    setTyped(null);
  }
  return (
    <TextInput
      data-field={path}
      {...(hideLabel ? { 'aria-label': label } : { label })}
      value={typed ?? value}
      title={value}
      error={textOfProblems(problems)}
      classNames={{ input: classes.code }}
      spellCheck={false}
      maxLength={60}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
});
