import { Text, TextInput } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import type { NumberText } from '../model/draft/typed';
import { numberOrText } from '../model/draft/values';
import { withValue } from '../model/paths';
import classes from './fields.module.css';

interface Props {
  path: string;
  label: string;
  unit?: string;
  description?: ReactNode;
  placeholder?: string;
  /** An emptied field means "not given". */
  optional?: boolean;
  /** An expression over variables may stand here. */
  templated?: boolean;
}

/** A number, or whatever was typed instead: the backend says what is wrong with it. */
export const NumberField = memo(function NumberField(props: Props) {
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
      classNames={isExpression ? { input: classes.code } : undefined}
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
