import { Switch } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import { withValue } from '../model/paths';

interface Props {
  path: string;
  label: string;
  description?: ReactNode;
}

/** Yes or no. */
export const SwitchField = memo(function SwitchField({ path, label, description }: Props) {
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
        store.change((draft) => withValue(draft, path, checked));
      }}
    />
  );
});
