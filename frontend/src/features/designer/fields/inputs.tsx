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
import { type ChangeEvent, type ReactNode, useMemo, useState } from 'react';
import { CodeField } from '@/components/ui/code/CodeField';
import type { CodeLanguage } from '@/components/ui/code/codeLook';
import { textOfProblems, useDraft, useField, useStore, useValue } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import { type NumberText, numberOrText } from '../model/draft/values';
import { withValue } from '../model/paths';
import { variablesOf } from '../model/variables';
import fields from './fields.module.css';

interface Input<T> {
  path: string;
  label: string;
  /** What it is called where it is not beside its label. */
  name?: string;
  /** In one row of many: the label is said, not shown. */
  hideLabel?: boolean;
  description?: ReactNode;
  /** Where a change is more than the value itself. */
  change?: (draft: Draft, value: T) => Draft;
}

/** The value of a field, the way to change it, and what its element is told. */
export function useInput<T>({ path, label, name = label, hideLabel, description, change }: Input<T>) {
  const store = useStore();
  const value = useValue<T>(path);
  const problems = useField(path, name);
  return {
    value,
    problems,
    /** Changes of one `group` in quick succession are undone together. */
    put: (next: T, group?: string) =>
      store.change((draft) => change?.(draft, next) ?? withValue(draft, path, next), group),
    element: {
      'data-field': path,
      ...(hideLabel ? { 'aria-label': label } : { label }),
      description,
      error: textOfProblems(problems),
    },
  };
}

interface TextProps extends Omit<Input<NumberText | null>, 'change'> {
  change?: (draft: Draft, text: string) => Draft;
  code?: boolean;
  /** Rows of a text of several lines; it grows with its content. */
  rows?: number;
  /** What an emptied field stands for. */
  empty?: null | '';
  /** What the text stands for, where it is not itself. */
  read?: (text: string) => NumberText;
  placeholder?: string;
}

/** A text of the draft. */
export function TextField(props: TextProps & Partial<TextInputProps>) {
  const { path, label, name, hideLabel, description, change, code, rows, empty = '', read, ...own } = props;
  const { value, put, element } = useInput<NumberText | null>({
    path,
    label,
    name,
    hideLabel,
    description,
    change: change as Input<NumberText | null>['change'],
  });
  const input = {
    ...element,
    value: String(value ?? ''),
    classNames: code ? { input: fields.code } : undefined,
    spellCheck: code ? false : undefined,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const text = event.currentTarget.value;
      const next = read ? read(text) : text;
      put(next === '' ? empty : next, path);
    },
  };
  return rows ? (
    <Textarea {...input} placeholder={own.placeholder} autosize minRows={rows} maxRows={14} />
  ) : (
    <TextInput {...own} {...input} />
  );
}

interface NumberProps extends TextProps {
  unit?: string;
  /** An expression over variables may stand here. */
  templated?: boolean;
}

/** A number, or whatever was typed instead: the backend says what is wrong with it. */
export function NumberField({ unit, templated, ...input }: NumberProps) {
  const value = useValue<NumberText | null>(input.path);
  const isExpression = typeof value === 'string' && value.includes('{');
  return (
    <TextField
      {...input}
      read={(text) => numberOrText(text.trim())}
      code={isExpression}
      inputMode={templated ? 'text' : 'decimal'}
      autoComplete="off"
      rightSection={
        unit && !isExpression ? (
          <Text size="xs" c="var(--text-dim)" aria-hidden>
            {unit}
          </Text>
        ) : undefined
      }
      rightSectionPointerEvents="none"
      rightSectionWidth={unit && unit.length > 3 ? 54 : undefined}
    />
  );
}

interface CodeProps extends Input<string | null> {
  language: CodeLanguage;
  placeholder?: string;
  minLines?: number;
  empty: null | '';
}

/** What a fragment of nginx.conf may contain: its block is the last part of its path. */
function useKnown(path: string) {
  const expressions = useDraft(({ factors, upstream_servers: servers, nginx }) =>
    JSON.stringify([
      ...factors.flatMap(variablesOf),
      ...servers.map(({ key }) => `servers("${key}")`),
      ...(nginx.upstreams?.groups ?? []).map(({ key }) => `upstream("${key}")`),
    ]),
  );
  return useMemo(
    () => ({
      block: path.slice(path.lastIndexOf('.') + 1),
      expressions: JSON.parse(expressions) as string[],
    }),
    [path, expressions],
  );
}

/** A fragment of code of the draft, with what is wrong at its lines. */
export function FragmentField({ language, placeholder, minLines, empty, ...input }: CodeProps) {
  const { path, label, description } = input;
  const { value, problems, put } = useInput(input);
  const known = useKnown(path);
  const notes = useMemo(
    () =>
      problems.flatMap(({ line, message, source }) =>
        line ? [{ line, message: saidAtLine(message, source) }] : [],
      ),
    [problems],
  );
  return (
    <CodeField
      name={path}
      {...{ label, language, description, placeholder, minLines, notes }}
      known={language === 'nginx' ? known : undefined}
      value={value ?? ''}
      error={textOfProblems(problems.filter(({ line }) => !line))}
      onChange={(text) => put(text === '' ? empty : text, path)}
    />
  );
}

/** The line is where the message stands, so it need not be told again. */
function saidAtLine(message: string, source: string | null): string {
  const text = message.replace(/^line \d+: /, '');
  return source ? t`nginx on ${source}: ${text}` : text;
}

/** Yes or no. `checked`: which of them, where that is not the value itself. */
export function SwitchField({ checked, ...input }: Input<boolean> & { checked?: boolean }) {
  const { value, put, element } = useInput(input);
  return (
    <Switch
      {...element}
      size="xs"
      checked={checked ?? value}
      onChange={(event) => put(event.currentTarget.checked)}
    />
  );
}

export interface Choice {
  value: string;
  label: string;
}

interface ChoiceProps extends Input<string> {
  options: readonly (Choice | string)[];
  /** What is chosen, where that is not the value itself. */
  chosen?: string;
  size?: 'xs' | 'sm';
}

const choiceOf = (option: Choice | string) =>
  typeof option === 'string' ? { value: option, label: option } : option;

/** One of a few values. A value that is none of them is shown all the same: the backend says what is wrong with it. */
export function ChoiceField({ options, chosen, size = 'sm', ...input }: ChoiceProps) {
  const { value: own, put, element } = useInput(input);
  const value = chosen ?? own;
  const choices = options.map(choiceOf);
  const known = choices.some((choice) => choice.value === value);
  return (
    <NativeSelect
      {...element}
      size={size}
      data={known ? choices : [...choices, { value, label: value || '–' }]}
      value={value}
      onChange={(event) => put(event.currentTarget.value)}
    />
  );
}

/** HTTP statuses and classes of them, such as 429, a number, and 5xx. */
export function StatusesField({ suggestions, ...input }: Input<NumberText[]> & { suggestions: string[] }) {
  const { label } = input;
  const { value, put, element } = useInput(input);
  return (
    <TagsInput
      {...element}
      placeholder={value.length === 0 ? t`none` : undefined}
      data={suggestions}
      value={value.map(String)}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': t`Clear ${label}` }}
      onChange={(next) => put(next.map(numberOrText))}
    />
  );
}

/**
 * A key that others refer to. It counts when the field is left: half-typed keys would tie what refers to this one to
 * another that has the same name for a moment.
 */
export function KeyField(input: Input<string> & Required<Pick<Input<string>, 'change'>>) {
  const { value, put, element } = useInput(input);
  const [typed, setTyped] = useState<string | null>(null);
  function commit() {
    if (typed !== null && typed !== value) put(typed.trim());
    setTyped(null);
  }
  return (
    <TextInput
      {...element}
      value={typed ?? value}
      title={value}
      classNames={{ input: fields.code }}
      spellCheck={false}
      maxLength={60}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
