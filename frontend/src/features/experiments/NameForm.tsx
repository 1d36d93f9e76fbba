import { t } from '@lingui/core/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';

const MAX_LENGTH = 120;

interface Props {
  initial: string;
  /** What the button says. */
  action: string;
  isPending: boolean;
  onSubmit: (name: string) => void;
}

/** Asks for the name of an experiment, in a dialog. */
export function NameForm({ initial, action, isPending, onSubmit }: Props) {
  const [name, setName] = useState(initial.slice(0, MAX_LENGTH));
  function submit(event: SubmitEvent) {
    event.preventDefault();
    onSubmit(name.trim());
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t`Name`}
          data-autofocus
          maxLength={MAX_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={!name.trim()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
