import { NativeSelect } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import { withValue } from '../model/paths';

export interface Choice {
  value: string;
  label: string;
}

interface Props {
  path: string;
  label: string;
  options: readonly (Choice | string)[];
  /** Of one row of many: the label is said, not shown. */
  hideLabel?: boolean;
  description?: ReactNode;
  /** Where a choice is more than the value itself. */
  change?: (draft: Draft, value: string) => Draft;
}

const choiceOf = (option: Choice | string) =>
  typeof option === 'string' ? { value: option, label: option } : option;

/** One of a few values. A value that is none of them is shown all the same: the backend says what is wrong with it. */
export const ChoiceField = memo(function ChoiceField(props: Props) {
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
