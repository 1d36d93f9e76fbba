import { t } from '@lingui/core/macro';
import { TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import { withValue } from '../model/paths';

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
