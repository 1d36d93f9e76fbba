import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyField } from '@/components/ui/CopyField';
import { formatDateTime } from '@/lib/time';
import { useCreateEnrolmentToken } from './api/useCreateEnrolmentToken';
import { JoiningNotes } from './JoiningNotes';

const LIFETIMES = [
  { value: '60', label: '1 hour' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' },
];

/** Makes a one-time token and shows the command that joins a host with it. */
export function AddHostDialog() {
  const [minutes, setMinutes] = useState('60');
  const create = useCreateEnrolmentToken();
  if (create.data)
    return (
      <Stack gap="sm">
        <Text size="sm">
          Run this line on the new host, as root or with sudo. It installs the agent as a service, and ends
          with <em>idle</em>. It works once, and may be run again after an error.
        </Text>
        <CopyField value={create.data.command} label="join command" />
        <Text size="xs" c="var(--text-dim)">
          Valid until {formatDateTime(create.data.expires_at)}. The token is not shown again. The script is
          plain text to read first, and has no secret; on the host, <code>ngxlab host status</code> says how
          it is.
        </Text>
      </Stack>
    );
  return (
    <Stack gap="sm">
      <Text size="sm">
        A host joins with a one-time token and receives its own credential. It then accepts runs from this
        server.
      </Text>
      <JoiningNotes />
      <Select
        label="The token is valid for"
        data={LIFETIMES}
        value={minutes}
        onChange={(value) => value && setMinutes(value)}
        allowDeselect={false}
      />
      <Group justify="flex-end">
        <Button loading={create.isPending} onClick={() => create.mutate(Number(minutes))}>
          Create token
        </Button>
      </Group>
    </Stack>
  );
}
