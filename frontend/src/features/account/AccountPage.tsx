import { Tabs } from '@mantine/core';
import { useHasRole, useMe } from '@/api/useMe';
import { PageHeader } from '@/components/ui/PageHeader';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSearchState } from '@/lib/useSearchState';
import { NotificationsTab } from './notifications/NotificationsTab';
import { PasswordTab } from './PasswordTab';
import { SessionsTab } from './SessionsTab';
import { TokensTab } from './TokensTab';

const TABS = [
  { key: 'password', name: 'Password', Content: PasswordTab },
  { key: 'sessions', name: 'Sessions', Content: SessionsTab },
  { key: 'tokens', name: 'API tokens', Content: TokensTab },
  { key: 'notifications', name: 'Notifications', Content: NotificationsTab },
];

export default function AccountPage() {
  usePageTitle('Account');
  const { data: me } = useMe();
  const hasPassword = me?.account.has_password ?? true;
  const mayRun = useHasRole('experimenter');
  const hidden = [hasPassword ? '' : 'password', mayRun ? '' : 'notifications'];
  const tabs = TABS.filter(({ key }) => !hidden.includes(key));
  const [tab, setTab] = useSearchState('tab', tabs[0]?.key ?? 'sessions');
  return (
    <>
      <PageHeader title="Account" meta={me && `${me.account.email}, ${me.account.role}`} />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map(({ key, name }) => (
            <Tabs.Tab key={key} value={key}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ key, Content }) => (
          <Tabs.Panel key={key} value={key}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
