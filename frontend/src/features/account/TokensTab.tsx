import { Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, useState } from 'react';
import { CopyField } from '@/components/ui/CopyField';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { useCreateToken } from './api/useCreateToken';
import { useRevokeToken } from './api/useRevokeToken';
import { useTokens } from './api/useTokens';

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Until revoked' },
];

function NewToken() {
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const create = useCreateToken();
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(
      { name: name.trim(), expires_in_days: days ? Number(days) : null },
      { onSuccess: () => setName('') },
    );
  }
  return (
    <Panel
      title="New token"
      note="For scripts and CI, with your own rights: send it as Authorization: Bearer."
    >
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Name"
            placeholder="What it is for"
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
      </form>
      {create.data && (
        <Stack gap={4} mt="md" role="status">
          <Text size="sm">Copy the token now: it is shown this once.</Text>
          <CopyField value={create.data.token} label="token" />
        </Stack>
      )}
    </Panel>
  );
}

export function TokensTab() {
  const tokens = useTokens();
  const revoke = useRevokeToken();
  const askToRevoke = (id: string, name: string) =>
    modals.openConfirmModal({
      title: `Revoke ${name}?`,
      children: <Text size="sm">Whatever uses it stops working at once.</Text>,
      labels: { confirm: 'Revoke', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate(id),
    });
  return (
    <Stack gap="md">
      <NewToken />
      <Panel title="Tokens" flush>
        <QueryView query={tokens} skeleton={[120]}>
          {(items) =>
            items.length === 0 ? (
              <EmptyState title="No tokens" />
            ) : (
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Created</Table.Th>
                    <Table.Th>Expires</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th aria-label="Actions" />
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((token) => (
                    <Table.Tr key={token.id}>
                      <Table.Td fw={500}>{token.name}</Table.Td>
                      <Table.Td>
                        <RelativeTime iso={token.created_at} />
                      </Table.Td>
                      <Table.Td>
                        {token.expires_at ? <RelativeTime iso={token.expires_at} /> : 'never'}
                      </Table.Td>
                      <Table.Td>
                        {token.last_used_at ? <RelativeTime iso={token.last_used_at} /> : 'never'}
                      </Table.Td>
                      <Table.Td ta="right">
                        <Button
                          variant="default"
                          size="compact-xs"
                          onClick={() => askToRevoke(token.id, token.name)}
                        >
                          Revoke
                        </Button>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )
          }
        </QueryView>
      </Panel>
    </Stack>
  );
}
