import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Table } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { AccountOut } from '@/api/generated';
import { useHasRole, useMe } from '@/api/useMe';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import shared from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { nameOfRole } from '@/domain/roles';
import { usePageTitle } from '@/lib/usePageTitle';
import { AccountState } from './AccountState';
import { useAccounts } from './api/useAccounts';
import { NewPersonForm } from './NewPersonForm';

function AddPersonButton() {
  return (
    <Button
      leftSection={<IconPlus size={14} />}
      onClick={() => modals.open({ title: t`Add a person`, children: <NewPersonForm /> })}
    >
      <Trans>Add person</Trans>
    </Button>
  );
}

function PersonRow({ account, isSelf }: { account: AccountOut; isSelf: boolean }) {
  return (
    <Table.Tr className={shared.linkedRow}>
      <Table.Td miw={180} style={{ overflowWrap: 'anywhere' }}>
        <Link to={`/people/${account.id}`} className={shared.rowLink}>
          {account.email}
        </Link>
        {isSelf && ` ${t`(you)`}`}
      </Table.Td>
      <Table.Td>{nameOfRole(account.role)}</Table.Td>
      <Table.Td>
        <AccountState account={account} />
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={account.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

function PeopleTable() {
  const accounts = useAccounts();
  const { data: me } = useMe();
  return (
    <QueryView query={accounts} skeleton={[220]}>
      {(items) => (
        <Panel flush>
          <WideTable minWidth={560}>
            <Table>
              <HeadRow columns={[t`E-mail`, t`Role`, t`State`, t`Created`]} />
              <Table.Tbody>
                {items.map((account) => (
                  <PersonRow key={account.id} account={account} isSelf={account.id === me?.account.id} />
                ))}
              </Table.Tbody>
            </Table>
          </WideTable>
        </Panel>
      )}
    </QueryView>
  );
}

export default function PeoplePage() {
  usePageTitle(t`People`);
  const isAdministrator = useHasRole('administrator');
  return (
    <>
      <PageHeader
        title={t`People`}
        meta={t`Who may sign in, and what they may do.`}
        actions={isAdministrator && <AddPersonButton />}
      />
      {isAdministrator ? <PeopleTable /> : <EmptyState title={t`Only administrators manage people`} />}
    </>
  );
}
