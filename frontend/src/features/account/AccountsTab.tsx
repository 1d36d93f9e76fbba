import { Button, Select, Stack, Table } from '@mantine/core';
import type { AccountOut } from '@/api/generated';
import { useMe } from '@/api/useMe';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { useAccounts } from './api/useAccounts';
import { useUpdateAccount } from './api/useUpdateAccount';
import { NewAccountForm } from './NewAccountForm';
import { ROLES } from './roles';

function AccountRow({ account, isSelf }: { account: AccountOut; isSelf: boolean }) {
  const update = useUpdateAccount();
  const disabled = account.disabled_at !== null;
  return (
    <Table.Tr>
      <Table.Td fw={500} c={disabled ? 'var(--text-dim)' : undefined}>
        {account.email}
        {isSelf && ' (you)'}
      </Table.Td>
      <Table.Td>
        <Select
          size="xs"
          w={150}
          aria-label={`Role of ${account.email}`}
          data={ROLES}
          value={account.role}
          disabled={isSelf || disabled}
          allowDeselect={false}
          onChange={(role) =>
            role && update.mutate({ id: account.id, body: { role: role as AccountOut['role'] } })
          }
        />
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={account.created_at} />
      </Table.Td>
      <Table.Td ta="right">
        {!isSelf && (
          <Button
            variant="default"
            size="compact-xs"
            loading={update.isPending}
            onClick={() => update.mutate({ id: account.id, body: { disabled: !disabled } })}
          >
            {disabled ? 'Enable' : 'Disable'}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

export function AccountsTab() {
  const accounts = useAccounts();
  const { data: me } = useMe();
  return (
    <Stack gap="md">
      <NewAccountForm />
      <Panel title="Accounts" flush>
        <QueryView query={accounts} skeleton={[120]}>
          {(items) => (
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>E-mail</Table.Th>
                  <Table.Th>Role</Table.Th>
                  <Table.Th>Created</Table.Th>
                  <Table.Th aria-label="Actions" />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((account) => (
                  <AccountRow key={account.id} account={account} isSelf={account.id === me?.account.id} />
                ))}
              </Table.Tbody>
            </Table>
          )}
        </QueryView>
      </Panel>
    </Stack>
  );
}
