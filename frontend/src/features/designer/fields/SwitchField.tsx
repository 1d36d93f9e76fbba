import { Switch } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import { withValue } from '../model/paths';

interface Props {
  path: string;
  label: string;
  description?: ReactNode;
  /** Where a change is more than the value itself. */
  change?: (draft: Draft, checked: boolean) => Draft;
}

/** Yes or no. */
export const SwitchField = memo(function SwitchField({ path, label, description, change }: Props) {
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
