import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CopyField } from '@/components/ui/CopyField';
import { Panel } from '@/components/ui/Panel';
import { useCreateToken } from './api/useCreateToken';

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Until revoked' },
];

/** A token is shown once: nobody can read it again later. */
function CreatedToken({ token }: { token: string }) {
  return (
    <Stack gap={4} mt="md" role="status">
      <Text size="sm">Copy the token now. It is shown only once.</Text>
      <CopyField value={token} label="token" />
    </Stack>
  );
}

export function NewTokenForm() {
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const create = useCreateToken();
  function submit(event: FormEvent) {
    event.preventDefault();
    const body = { name: name.trim(), expires_in_days: days ? Number(days) : null };
    create.mutate(body, { onSuccess: () => setName('') });
  }
  return (
    <Panel
      title="New token"
      note="For scripts and CI. A token has your permissions; send it as Authorization: Bearer."
    >
      <Group component="form" onSubmit={submit} align="flex-end" gap="sm">
        <TextInput
          label="Name"
          placeholder="What it is used for"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Valid for"
          data={LIFETIMES}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
          w={160}
        />
        <Button type="submit" size="sm" loading={create.isPending} disabled={!name.trim()}>
          Create token
        </Button>
      </Group>
      {create.data && <CreatedToken token={create.data.token} />}
    </Panel>
  );
}
