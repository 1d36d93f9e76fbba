import { Button, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { TokenOut } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { useRevokeToken } from './api/useRevokeToken';
import { useTokens } from './api/useTokens';
import { NewTokenForm } from './NewTokenForm';

const TimeOrNever = ({ iso }: { iso: string | null }) => (iso ? <RelativeTime iso={iso} /> : 'never');

function TokenRow({ token }: { token: TokenOut }) {
  const revoke = useRevokeToken();
  const askToRevoke = () =>
    modals.openConfirmModal({
      title: `Revoke ${token.name}?`,
      children: <Text size="sm">Anything that uses this token stops working immediately.</Text>,
      labels: { confirm: 'Revoke', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate(token.id),
    });
  return (
    <Table.Tr>
      <Table.Td fw={500}>{token.name}</Table.Td>
      <Table.Td>
        <RelativeTime iso={token.created_at} />
      </Table.Td>
      <Table.Td>
        <TimeOrNever iso={token.expires_at} />
      </Table.Td>
      <Table.Td>
        <TimeOrNever iso={token.last_used_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Button variant="default" size="compact-xs" onClick={askToRevoke}>
          Revoke
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function TokensTable({ tokens }: { tokens: readonly TokenOut[] }) {
  return (
    <Table>
      <HeadRow columns={['Name', 'Created', 'Expires', 'Last used', { name: 'Actions', hidden: true }]} />
      <Table.Tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

export function TokensTab() {
  const tokens = useTokens();
  return (
    <Stack gap="md">
      <NewTokenForm />
      <Panel title="Tokens" flush>
        <QueryView query={tokens} skeleton={[120]}>
          {(items) =>
            items.length === 0 ? <EmptyState title="No tokens" /> : <TokensTable tokens={items} />
          }
        </QueryView>
      </Panel>
    </Stack>
  );
}
