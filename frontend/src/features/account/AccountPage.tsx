import { t } from '@lingui/core/macro';
import { Button, Group, Select, Stack, Tabs, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { itemsOf } from '@/api/client';
import {
  type AccountOut,
  createTokenMutation,
  endOtherSessionsMutation,
  endSessionMutation,
  listSessionsOptions,
  listSessionsQueryKey,
  listTokensOptions,
  listTokensQueryKey,
  revokeTokenMutation,
  revokeTokensMutation,
  type TokenScope,
} from '@/api/generated';
import { hasRole, useMe } from '@/api/session';
import { SessionsPanel, TokensPanel } from '@/components/access/AccessPanels';
import { PasswordForm } from '@/components/access/PasswordForm';
import { ShownOnce } from '@/components/ui/CopyField';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { nameOfRole } from '@/domain/roles';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';
import { NotificationsTab } from './NotificationsTab';
import { PasskeysTab } from './PasskeysTab';

const TOKENS = { meta: { refetches: [listTokensQueryKey()] } };
const SESSIONS = { meta: { refetches: [listSessionsQueryKey()] } };

const lifetimes = () => [
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
  { value: '365', label: t`1 year` },
];

/** What each scope is for; offered are those that the reader's role includes. */
const scopes = () =>
  [
    { value: 'read', label: t`Read: look at everything`, role: 'viewer' },
    { value: 'operate', label: t`Operate: make and run experiments`, role: 'experimenter' },
    { value: 'administer', label: t`Administer: also hosts`, role: 'administrator' },
  ] as const;

function NewTokenForm() {
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const [scope, setScope] = useState<TokenScope>('read');
  const { data: me } = useMe();
  const create = useMutation({ ...createTokenMutation(), ...TOKENS });
  function submit(event: FormEvent) {
    event.preventDefault();
    const body = { name: name.trim(), scope, expires_in_days: Number(days) };
    create.mutate({ body }, { onSuccess: () => setName('') });
  }
  return (
    <Panel
      title={t`New token`}
      note={t`For scripts and CI: send it as Authorization: Bearer. No token can manage people, passwords or tokens.`}
    >
      <Group component="form" onSubmit={submit} align="flex-end" gap="sm">
        <TextInput
          label={t`Name`}
          placeholder={t`What it is used for`}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t`Scope`}
          data={scopes().flatMap(({ role, ...one }) => (hasRole(me, role) ? one : []))}
          value={scope}
          onChange={(value) => setScope(value ?? 'read')}
          allowDeselect={false}
          w={260}
        />
        <Select
          label={t`Valid for`}
          data={lifetimes()}
          value={days}
          onChange={(value) => setDays(value ?? '30')}
          allowDeselect={false}
          w={160}
        />
        <Button type="submit" size="sm" loading={create.isPending} disabled={!name.trim()}>
          {t`Create token`}
        </Button>
      </Group>
      {create.data && (
        <ShownOnce
          value={create.data.token}
          label={t({ message: 'token', context: 'copied' })}
          text={t`Copy the token now. It is shown only once.`}
        />
      )}
    </Panel>
  );
}

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

function PasswordTab() {
  const message = t`Password changed. Your other sessions and your API tokens have ended.`;
  return (
    <Panel title={t`Change password`} note={t`This ends your other sessions, and revokes your API tokens.`}>
      <PasswordForm current={t`Current password`} onChanged={() => notifications.show({ message })} />
    </Panel>
  );
}

const allTabs = () => [
  { key: 'password', name: t`Password`, Content: PasswordTab },
  { key: 'passkeys', name: t`Passkeys`, Content: PasskeysTab },
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
  const hidden = [hasPassword ? '' : 'password', hasRole(me, 'experimenter') ? '' : 'notifications'];
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
