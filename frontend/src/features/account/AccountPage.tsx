import { Tabs } from '@mantine/core';
import { useHasRole, useMe } from '@/api/useMe';
import { PageHeader } from '@/components/ui/PageHeader';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSearchState } from '@/lib/useSearchState';
import { AccountsTab } from './AccountsTab';
import { PasswordTab } from './PasswordTab';
import { TokensTab } from './TokensTab';

export default function AccountPage() {
  usePageTitle('Account');
  const { data: me } = useMe();
  const isAdministrator = useHasRole('administrator');
  const [tab, setTab] = useSearchState('tab', 'password');
  return (
    <>
      <PageHeader title="Account" meta={me && `${me.account.email}, ${me.account.role}`} />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="password">Password</Tabs.Tab>
          <Tabs.Tab value="tokens">API tokens</Tabs.Tab>
          {isAdministrator && <Tabs.Tab value="accounts">Accounts</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="password">
          <PasswordTab />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <TokensTab />
        </Tabs.Panel>
        {isAdministrator && (
          <Tabs.Panel value="accounts">
            <AccountsTab />
          </Tabs.Panel>
        )}
      </Tabs>
    </>
  );
}
