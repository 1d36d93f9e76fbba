import { Button, Group, Select, Stack, Table } from '@mantine/core';
import type { AccountOut } from '@/api/generated';
import { useMe } from '@/api/useMe';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { useAccounts } from './api/useAccounts';
import { useUpdateAccount } from './api/useUpdateAccount';
import { LinkPermit } from './LinkPermit';
import { NewAccountForm } from './NewAccountForm';
import { ROLES } from './roles';

interface RowProps {
  account: AccountOut;
  isSelf: boolean;
}

function RoleSelect({ account, isSelf }: RowProps) {
  const update = useUpdateAccount();
  return (
    <Select
      size="xs"
      w={150}
      aria-label={`Role of ${account.email}`}
      data={ROLES}
      value={account.role}
      disabled={isSelf || account.disabled_at !== null}
      allowDeselect={false}
      onChange={(role) =>
        role && update.mutate({ id: account.id, body: { role: role as AccountOut['role'] } })
      }
    />
  );
}

function DisableButton({ account }: { account: AccountOut }) {
  const update = useUpdateAccount();
  const isDisabled = account.disabled_at !== null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      loading={update.isPending}
      onClick={() => update.mutate({ id: account.id, body: { disabled: !isDisabled } })}
    >
      {isDisabled ? 'Enable' : 'Disable'}
    </Button>
  );
}

function AccountRow({ account, isSelf }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td fw={500} c={account.disabled_at === null ? undefined : 'var(--text-dim)'}>
        {account.email}
        {isSelf && ' (you)'}
      </Table.Td>
      <Table.Td>
        <RoleSelect account={account} isSelf={isSelf} />
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={account.created_at} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end">
          <LinkPermit account={account} />
          {!isSelf && <DisableButton account={account} />}
        </Group>
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
              <HeadRow columns={['E-mail', 'Role', 'Created', { name: 'Actions', hidden: true }]} />
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
