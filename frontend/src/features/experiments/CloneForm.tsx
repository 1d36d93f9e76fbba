import { Button, Group, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type SubmitEvent, useState } from 'react';
import type { ExperimentDetail } from '@/api/generated';
import { useCloneExperiment } from './api/useCloneExperiment';

interface Props {
  experimentId: string;
  name: string;
  /** Dialogs stand outside of the router, so whoever opens this one leads on. */
  onCloned: (copy: ExperimentDetail) => void;
}

/** Name the copy. */
export function CloneForm({ experimentId, name, onCloned }: Props) {
  const [value, setValue] = useState(`${name} (copy)`.slice(0, 120));
  const clone = useCloneExperiment(experimentId);
  function submit(event: SubmitEvent) {
    event.preventDefault();
    clone.mutate(
      { name: value.trim() },
      {
        onSuccess: (copy) => {
          modals.closeAll();
          onCloned(copy);
        },
      },
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          data-autofocus
          maxLength={120}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={clone.isPending} disabled={!value.trim()}>
            Clone
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
