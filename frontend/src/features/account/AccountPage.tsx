import { t } from '@lingui/core/macro';
import { Tabs } from '@mantine/core';
import type { AccountOut } from '@/api/generated';
import { useHasRole, useMe } from '@/api/useMe';
import { PageHeader } from '@/components/ui/PageHeader';
import { nameOfRole } from '@/domain/roles';
import { useSearchState } from '@/lib/address/useSearchState';
import { usePageTitle } from '@/lib/usePageTitle';
import { NotificationsTab } from './notifications/NotificationsTab';
import { PasswordTab } from './PasswordTab';
import { SessionsTab } from './SessionsTab';
import { TokensTab } from './TokensTab';

const allTabs = () => [
  { key: 'password', name: t`Password`, Content: PasswordTab },
  { key: 'sessions', name: t`Sessions`, Content: SessionsTab },
  { key: 'tokens', name: t`API tokens`, Content: TokensTab },
  { key: 'notifications', name: t`Notifications`, Content: NotificationsTab },
];

/** "ann@example.org, viewer". */
function described({ email, role }: AccountOut): string {
  const name = nameOfRole(role).toLowerCase();
  return t`${email}, ${name}`;
}

export default function AccountPage() {
  usePageTitle(t`Account`);
  const { data: me } = useMe();
  const hasPassword = me?.account.has_password ?? true;
  const mayRun = useHasRole('experimenter');
  const hidden = [hasPassword ? '' : 'password', mayRun ? '' : 'notifications'];
  const tabs = allTabs().filter(({ key }) => !hidden.includes(key));
  const [tab, setTab] = useSearchState('tab', tabs[0]?.key ?? 'sessions');
  return (
    <>
      <PageHeader title={t`Account`} meta={me && described(me.account)} />
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
