import { Button, Group, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, useState } from 'react';
import { useUpdateExperiment } from './api/useUpdateExperiment';

export function RenameForm({ experimentId, name }: { experimentId: string; name: string }) {
  const [value, setValue] = useState(name);
  const update = useUpdateExperiment(experimentId);
  function submit(event: FormEvent) {
    event.preventDefault();
    update.mutate({ name: value.trim() }, { onSuccess: () => modals.closeAll() });
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
          <Button type="submit" loading={update.isPending} disabled={!value.trim()}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
