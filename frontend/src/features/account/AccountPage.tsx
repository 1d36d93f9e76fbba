import { t } from '@lingui/core/macro';
import { Stack, Tabs } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { itemsOf } from '@/api/client';
import {
  type AccountOut,
  endOtherSessionsMutation,
  endSessionMutation,
  listSessionsOptions,
  listSessionsQueryKey,
  listTokensOptions,
  listTokensQueryKey,
  revokeTokenMutation,
  revokeTokensMutation,
} from '@/api/generated';
import { useHasRole, useMe } from '@/api/session';
import { PasswordForm } from '@/components/access/PasswordForm';
import { SessionsPanel } from '@/components/access/SessionsPanel';
import { TokensPanel } from '@/components/access/TokensPanel';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { nameOfRole } from '@/domain/roles';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';
import { NewTokenForm } from './NewTokenForm';
import { NotificationsTab } from './NotificationsTab';

const TOKENS = { meta: { refetches: [listTokensQueryKey()] } };
const SESSIONS = { meta: { refetches: [listSessionsQueryKey()] } };

function TokensTab() {
  const tokens = useQuery({ ...listTokensOptions(), select: itemsOf });
  const revoke = useMutation({ ...revokeTokenMutation(), ...TOKENS });
  const revokeAll = useMutation({ ...revokeTokensMutation(), ...TOKENS });
  return (
    <Stack gap="md">
      <NewTokenForm />
      <TokensPanel
        tokens={tokens}
        revoke={(id) => revoke.mutate({ path: { token_id: id } })}
        revokeAll={() => revokeAll.mutate({})}
      />
    </Stack>
  );
}

function SessionsTab() {
  const sessions = useQuery({ ...listSessionsOptions(), select: itemsOf });
  const end = useMutation({ ...endSessionMutation(), ...SESSIONS });
  const endOthers = useMutation({ ...endOtherSessionsMutation(), ...SESSIONS });
  return (
    <SessionsPanel
      sessions={sessions}
      note={t`Browsers that are signed in to your account. End what you do not recognise, and change your password.`}
      end={(id) => end.mutate({ path: { session_id: id } })}
      endAll={{ label: t`End other sessions`, run: () => endOthers.mutate({}) }}
    />
  );
}

const sayChanged = () =>
  notifications.show({ message: t`Password changed. Your other sessions and your API tokens have ended.` });

function PasswordTab() {
  return (
    <Panel title={t`Change password`} note={t`This ends your other sessions, and revokes your API tokens.`}>
      <PasswordForm current={t`Current password`} onChanged={sayChanged} />
    </Panel>
  );
}

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
