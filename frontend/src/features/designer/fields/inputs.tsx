import { t } from '@lingui/core/macro';
import {
  NativeSelect,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import type { NumberText } from '../model/draft/values';
import { numberOrText } from '../model/draft/values';
import { withValue } from '../model/paths';
import fields from './fields.module.css';

interface FieldProps {
  path: string;
  label: string;
  description?: ReactNode;
}

interface NumberProps extends FieldProps {
  unit?: string;
  placeholder?: string;
  /** An emptied field means "not given". */
  optional?: boolean;
  /** An expression over variables may stand here. */
  templated?: boolean;
}

/** A number, or whatever was typed instead: the backend says what is wrong with it. */
export const NumberField = memo(function NumberField(props: NumberProps) {
  const { path, label, unit, description, placeholder, optional, templated } = props;
  const store = useStore();
  const value = useValue<NumberText | null>(path);
  const problems = useField(path, label);
  const isExpression = typeof value === 'string' && value.includes('{');
  return (
    <TextInput
      data-field={path}
      label={label}
      description={description}
      placeholder={placeholder}
      inputMode={templated ? 'text' : 'decimal'}
      autoComplete="off"
      value={value === null || value === undefined ? '' : String(value)}
      error={textOfProblems(problems)}
      classNames={isExpression ? { input: fields.code } : undefined}
      rightSection={
        unit && !isExpression ? (
          <Text size="xs" c="var(--text-dim)" aria-hidden>
            {unit}
          </Text>
        ) : undefined
      }
      rightSectionPointerEvents="none"
      rightSectionWidth={unit && unit.length > 3 ? 54 : undefined}
      onChange={(event) => {
        const text = event.currentTarget.value.trim();
        const next = text === '' && optional ? null : numberOrText(text);
        store.change((draft) => withValue(draft, path, next), path);
      }}
    />
  );
});

interface TextProps extends FieldProps {
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
export const TextField = memo(function TextField(props: TextProps) {
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
    classNames: code ? { input: fields.code } : undefined,
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

interface SwitchProps extends FieldProps {
  /** Where a change is more than the value itself. */
  change?: (draft: Draft, checked: boolean) => Draft;
}

/** Yes or no. */
export const SwitchField = memo(function SwitchField({ path, label, description, change }: SwitchProps) {
  const store = useStore();
  const problems = useField(path, label);
  return (
    <Switch
      data-field={path}
      size="xs"
      label={label}
      description={description}
      checked={useValue<boolean>(path)}
      error={textOfProblems(problems)}
      onChange={(event) => {
        const { checked } = event.currentTarget;
        store.change((draft) => change?.(draft, checked) ?? withValue(draft, path, checked));
      }}
    />
  );
});

export interface Choice {
  value: string;
  label: string;
}

interface ChoiceProps extends FieldProps {
  options: readonly (Choice | string)[];
  /** Of one row of many: the label is said, not shown. */
  hideLabel?: boolean;
  /** Where a choice is more than the value itself. */
  change?: (draft: Draft, value: string) => Draft;
}

const choiceOf = (option: Choice | string) =>
  typeof option === 'string' ? { value: option, label: option } : option;

/** One of a few values. A value that is none of them is shown all the same: the backend says what is wrong with it. */
export const ChoiceField = memo(function ChoiceField(props: ChoiceProps) {
  const { path, label, hideLabel = false, options, description, change } = props;
  const store = useStore();
  const value = useValue<string>(path);
  const problems = useField(path, label);
  const choices = options.map(choiceOf);
  const known = choices.some((choice) => choice.value === value);
  return (
    <NativeSelect
      data-field={path}
      label={hideLabel ? undefined : label}
      aria-label={hideLabel ? label : undefined}
      size="sm"
      description={description}
      data={known ? choices : [...choices, { value, label: value || '–' }]}
      value={value}
      error={textOfProblems(problems)}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        store.change((draft) => change?.(draft, chosen) ?? withValue(draft, path, chosen));
      }}
    />
  );
});

interface Props {
  path: string;
  label: string;
  description: ReactNode;
  suggestions: string[];
}

/** HTTP statuses and classes of them, such as 429 and 5xx. */
export function StatusesField({ path, label, description, suggestions }: Props) {
  const store = useStore();
  const value = useValue<string[]>(path);
  const problems = useField(path, label);
  return (
    <TagsInput
      data-field={path}
      label={label}
      description={description}
      placeholder={value.length === 0 ? t`none` : undefined}
      data={suggestions}
      value={value}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': t`Clear ${label}` }}
      error={textOfProblems(problems)}
      onChange={(next) => store.change((draft) => withValue(draft, path, next))}
    />
  );
}

interface KeyFieldProps {
  path: string;
  label: string;
  hideLabel?: boolean;
  rename: (draft: Draft, key: string) => Draft;
}

/**
 * A key that others refer to. It counts when the field is left: half-typed keys would tie what refers to this one to
 * another that has the same name for a moment.
 */
export const KeyField = memo(function KeyField({ path, label, hideLabel, rename }: KeyFieldProps) {
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
      classNames={{ input: fields.code }}
      spellCheck={false}
      maxLength={60}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
});
