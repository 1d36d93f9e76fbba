import { Button, Table } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { TokenOut } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { askFirst } from './askFirst';
import { SCOPE_NAMES } from './scopes';

interface Props {
  tokens: UseQueryResult<TokenOut[]>;
  revoke: (tokenId: string) => void;
  revokeAll: () => void;
}

const CONSEQUENCE = 'Anything that uses it stops working immediately.';

function TokenRow({ token, revoke }: { token: TokenOut; revoke: Props['revoke'] }) {
  const ask = () =>
    askFirst({
      title: `Revoke ${token.name}?`,
      text: CONSEQUENCE,
      confirm: 'Revoke',
      onConfirm: () => revoke(token.id),
    });
  return (
    <Table.Tr>
      <Table.Td fw={500}>{token.name}</Table.Td>
      <Table.Td>{SCOPE_NAMES[token.scope]}</Table.Td>
      <Table.Td>
        <RelativeTime iso={token.created_at} />
      </Table.Td>
      <Table.Td>
        {Date.parse(token.expires_at) < Date.now() ? 'expired ' : ''}
        <RelativeTime iso={token.expires_at} />
      </Table.Td>
      <Table.Td>{token.last_used_at ? <RelativeTime iso={token.last_used_at} /> : 'never'}</Table.Td>
      <Table.Td ta="right">
        <Button variant="default" size="compact-xs" aria-label={`Revoke ${token.name}`} onClick={ask}>
          Revoke
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const COLUMNS = ['Name', 'Scope', 'Created', 'Expires', 'Last used', { name: 'Actions', hidden: true }];

function TokensTable({ tokens, revoke }: { tokens: readonly TokenOut[]; revoke: Props['revoke'] }) {
  if (tokens.length === 0) return <EmptyState title="No tokens" />;
  return (
    <WideTable minWidth={620}>
      <Table>
        <HeadRow columns={COLUMNS} />
        <Table.Tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} revoke={revoke} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

/** The API tokens of an account, and a way to revoke them. */
export function TokensPanel({ tokens, revoke, revokeAll }: Props) {
  const ask = () =>
    askFirst({ title: 'Revoke all tokens?', text: CONSEQUENCE, confirm: 'Revoke all', onConfirm: revokeAll });
  const actions = (tokens.data?.length ?? 0) > 1 && (
    <Button variant="default" size="compact-sm" onClick={ask}>
      Revoke all
    </Button>
  );
  return (
    <Panel title="API tokens" actions={actions} flush>
      <QueryView query={tokens} skeleton={[120]}>
        {(items) => <TokensTable tokens={items} revoke={revoke} />}
      </QueryView>
    </Panel>
  );
}
