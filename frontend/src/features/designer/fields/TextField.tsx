import { Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import { withValue } from '../model/paths';
import classes from './fields.module.css';

interface Props {
  path: string;
  label: string;
  description?: ReactNode;
  placeholder?: string;
  code?: boolean;
  hideLabel?: boolean;
  /** Rows of a text of several lines; it grows with its content. */
  rows?: number;
  /** What an emptied field stands for. */
  empty?: null | '';
  /** Where a change is more than the value itself. */
  change?: (draft: Draft, text: string) => Draft;
  size?: TextInputProps['size'];
  maxLength?: number;
}

/** A text of the draft. */
export const TextField = memo(function TextField(props: Props) {
  const {
    path,
    label,
    description,
    placeholder,
    code,
    hideLabel,
    rows,
    empty = '',
    change,
    size,
    maxLength,
  } = props;
  const store = useStore();
  const value = useValue<string | null>(path) ?? '';
  const problems = useField(path, label);
  const common = {
    'data-field': path,
    ...(hideLabel ? { 'aria-label': label } : { label }),
    description,
    placeholder,
    size,
    maxLength,
    value,
    error: textOfProblems(problems),
    classNames: code ? { input: classes.code } : undefined,
    spellCheck: code ? false : undefined,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const text = event.currentTarget.value;
      store.change(
        (draft) => change?.(draft, text) ?? withValue(draft, path, text === '' ? empty : text),
        path,
      );
    },
  };
  return rows ? <Textarea {...common} autosize minRows={rows} maxRows={14} /> : <TextInput {...common} />;
});
