import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Table } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { TokenOut, TokenScope } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { askFirst } from './askFirst';

/** What a token may do, in the order in which each includes the ones before it. */
const scopeNames = (): Record<TokenScope, string> => ({
  read: t`Read`,
  operate: t`Operate`,
  administer: t`Administer`,
});

interface Props {
  tokens: UseQueryResult<TokenOut[]>;
  revoke: (tokenId: string) => void;
  revokeAll: () => void;
}

const consequence = () => t`Anything that uses it stops working immediately.`;

function TokenRow({ token, revoke }: { token: TokenOut; revoke: Props['revoke'] }) {
  const { name } = token;
  const ask = () =>
    askFirst({
      title: t`Revoke ${name}?`,
      text: consequence(),
      confirm: t`Revoke`,
      onConfirm: () => revoke(token.id),
    });
  const expiry = <RelativeTime iso={token.expires_at} />;
  return (
    <Table.Tr>
      <Table.Td fw={500}>{name}</Table.Td>
      <Table.Td>{scopeNames()[token.scope]}</Table.Td>
      <Table.Td>
        <RelativeTime iso={token.created_at} />
      </Table.Td>
      <Table.Td>
        {Date.parse(token.expires_at) < Date.now() ? <Trans>expired {expiry}</Trans> : expiry}
      </Table.Td>
      <Table.Td>{token.last_used_at ? <RelativeTime iso={token.last_used_at} /> : t`never`}</Table.Td>
      <Table.Td ta="right">
        <Button variant="default" size="compact-xs" aria-label={t`Revoke ${name}`} onClick={ask}>
          <Trans>Revoke</Trans>
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const columns = () => [
  t`Name`,
  t`Scope`,
  t`Created`,
  t`Expires`,
  t`Last used`,
  { name: t`Actions`, hidden: true },
];

function TokensTable({ tokens, revoke }: { tokens: readonly TokenOut[]; revoke: Props['revoke'] }) {
  if (tokens.length === 0) return <EmptyState title={t`No tokens`} />;
  return (
    <WideTable minWidth={620}>
      <Table>
        <HeadRow columns={columns()} />
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
    askFirst({
      title: t`Revoke all tokens?`,
      text: consequence(),
      confirm: t`Revoke all`,
      onConfirm: revokeAll,
    });
  const actions = (tokens.data?.length ?? 0) > 1 && (
    <Button variant="default" size="compact-sm" onClick={ask}>
      <Trans>Revoke all</Trans>
    </Button>
  );
  return (
    <Panel title={t`API tokens`} actions={actions} flush>
      <QueryView query={tokens} skeleton={[120]}>
        {(items) => <TokensTable tokens={items} revoke={revoke} />}
      </QueryView>
    </Panel>
  );
}
