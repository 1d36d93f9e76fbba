import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Select, Stack } from '@mantine/core';
import { Link, useParams } from 'react-router';
import type { AccountOut, Role } from '@/api/generated';
import { useMe } from '@/api/useMe';
import { askFirst } from '@/components/access/askFirst';
import { SessionsPanel } from '@/components/access/SessionsPanel';
import { TokensPanel } from '@/components/access/TokensPanel';
import { Facts } from '@/components/ui/Facts';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { nameOfRole, roles } from '@/domain/roles';
import { usePageTitle } from '@/lib/usePageTitle';
import { AccountState } from './AccountState';
import { useAccount } from './api/useAccount';
import { useAccountSessions } from './api/useAccountSessions';
import { useAccountTokens } from './api/useAccountTokens';
import { useEndAccountSession } from './api/useEndAccountSession';
import { useEndAccountSessions } from './api/useEndAccountSessions';
import { useIdentities } from './api/useIdentities';
import { useRevokeAccountToken } from './api/useRevokeAccountToken';
import { useRevokeAccountTokens } from './api/useRevokeAccountTokens';
import { useUpdateAccount } from './api/useUpdateAccount';
import { LinkPermit } from './LinkPermit';
import { PersonActions } from './PersonActions';

const questions = (email: string): Record<Role, string> => ({
  viewer: t`Make ${email} a viewer?`,
  experimenter: t`Make ${email} an experimenter?`,
  administrator: t`Make ${email} an administrator?`,
});

function RoleSelect({ account }: { account: AccountOut }) {
  const update = useUpdateAccount();
  const ask = (role: Role) =>
    askFirst({
      title: questions(account.email)[role],
      text: t`Their sessions end, and their API tokens are revoked. They sign in again with the new role.`,
      confirm: t`Change role`,
      onConfirm: () => update.mutate({ id: account.id, body: { role } }),
    });
  return (
    <Select
      w={180}
      aria-label={t`Role`}
      data={roles()}
      value={account.role}
      disabled={account.disabled_at !== null || update.isPending}
      allowDeselect={false}
      onChange={(role) => role && role !== account.role && ask(role as Role)}
    />
  );
}

function Own() {
  return (
    <Trans>
      Your own account: change its password on the page{' '}
      <Anchor component={Link} to="/account" underline="always">
        Account
      </Anchor>
      .
    </Trans>
  );
}

function Details({ account, isSelf }: { account: AccountOut; isSelf: boolean }) {
  const { data: links } = useIdentities();
  return (
    <Panel title={t`Account`} note={isSelf && <Own />}>
      <Facts
        rows={[
          [t`Role`, isSelf ? nameOfRole(account.role) : <RoleSelect key="role" account={account} />],
          [t`Sign-in provider`, links?.enabled ? <LinkPermit key="provider" account={account} /> : null],
          [t`Created`, <RelativeTime key="created" iso={account.created_at} />],
          [t`Deactivated`, account.disabled_at && <RelativeTime key="disabled" iso={account.disabled_at} />],
        ]}
      />
    </Panel>
  );
}

function WaysIn({ id, isSelf }: { id: string; isSelf: boolean }) {
  const end = useEndAccountSession(id);
  const endAll = useEndAccountSessions(id);
  const revoke = useRevokeAccountToken(id);
  const revokeAll = useRevokeAccountTokens(id);
  return (
    <>
      <SessionsPanel
        sessions={useAccountSessions(id)}
        note={t`Browsers that are signed in to this account.`}
        end={(sessionId) => end.mutate(sessionId)}
        endAll={{
          label: isSelf ? t`End all sessions, this one too` : t`End all sessions`,
          run: () => endAll.mutate(),
        }}
      />
      <TokensPanel
        tokens={useAccountTokens(id)}
        revoke={(tokenId) => revoke.mutate(tokenId)}
        revokeAll={() => revokeAll.mutate()}
      />
    </>
  );
}

export default function PersonPage() {
  const { accountId = '' } = useParams();
  const query = useAccount(accountId);
  const { data: me } = useMe();
  const isSelf = me?.account.id === accountId;
  usePageTitle(query.data?.email ?? t`Person`);
  return (
    <QueryView query={query} skeleton={[48, 120, 180, 180]} wayOut={{ label: t`All people`, to: '/people' }}>
      {(account) => (
        <>
          <PageHeader
            title={account.email}
            crumbs={[{ label: t`People`, to: '/people' }]}
            aside={<AccountState account={account} />}
            actions={!isSelf && <PersonActions account={account} />}
          />
          <Stack gap="md">
            <Details account={account} isSelf={isSelf} />
            <WaysIn id={account.id} isSelf={isSelf} />
          </Stack>
        </>
      )}
    </QueryView>
  );
}
