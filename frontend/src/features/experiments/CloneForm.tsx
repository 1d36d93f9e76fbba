import { Button, Group, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type SubmitEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { useCloneExperiment } from './api/useCloneExperiment';

/** Name the copy; it opens in the designer. */
export function CloneForm({ experimentId, name }: { experimentId: string; name: string }) {
  const [value, setValue] = useState(`${name} (copy)`.slice(0, 120));
  const clone = useCloneExperiment(experimentId);
  const navigate = useNavigate();
  function submit(event: SubmitEvent) {
    event.preventDefault();
    clone.mutate(
      { name: value.trim() },
      {
        onSuccess: ({ id }) => {
          modals.closeAll();
          void navigate(`/experiments/${id}/design`);
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
