import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Select, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { itemsOf } from '@/api/client';
import {
  type AccountOut,
  endAccountSessionMutation,
  endAccountSessionsMutation,
  getAccountOptions,
  getAccountQueryKey,
  listAccountPasskeysOptions,
  listAccountPasskeysQueryKey,
  listAccountSessionsOptions,
  listAccountSessionsQueryKey,
  listAccountsQueryKey,
  listAccountTokensOptions,
  listAccountTokensQueryKey,
  listIdentitiesOptions,
  listIdentitiesQueryKey,
  permitLinkMutation,
  type Role,
  removeAccountPasskeysMutation,
  resetPasswordMutation,
  revokeAccountTokenMutation,
  revokeAccountTokensMutation,
  updateAccountMutation,
} from '@/api/generated';
import { useMe } from '@/api/session';
import { PasskeysPanel, SessionsPanel, TokensPanel } from '@/components/access/AccessPanels';
import { askFirst } from '@/components/access/askFirst';
import { Dim } from '@/components/ui/Dim';
import { Facts } from '@/components/ui/Facts';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { nameOfRole, roles } from '@/domain/roles';
import { usePageTitle } from '@/lib/usePageTitle';
import { AccountState, showOneTimePassword } from './account';

/** The queries that change with an account: itself, its sessions, its tokens, and the lists that it is in. */
function refetchesOf(id: string) {
  const path = { account_id: id };
  const own = [
    getAccountQueryKey,
    listAccountSessionsQueryKey,
    listAccountPasskeysQueryKey,
    listAccountTokensQueryKey,
  ];
  return {
    refetches: [listAccountsQueryKey(), listIdentitiesQueryKey(), ...own.map((key) => key({ path }))],
  };
}

/** Whether an account signs in at the provider, or the leave to do so. Nothing where there is no provider. */
export function LinkPermit({ account }: { account: AccountOut }) {
  const { data: links } = useQuery(listIdentitiesOptions());
  const permit = useMutation({ ...permitLinkMutation(), meta: { refetches: [listIdentitiesQueryKey()] } });
  if (!links?.enabled) return null;
  const identity = links.identities.find((one) => one.account_id === account.id);
  if (identity) {
    const { email, issuer } = identity;
    return (
      <Dim size="xs" title={t`${email} at ${issuer}`}>
        {t`linked`}
      </Dim>
    );
  }
  const { email } = account;
  const isPermitted = account.id in links.permitted;
  const change = (allowed: boolean) => permit.mutate({ path: { account_id: account.id }, body: { allowed } });
  const askToAllow = () =>
    askFirst({
      title: t`Link ${email} to the sign-in provider?`,
      text: t`Whoever has the verified address ${email} at the provider can then sign in as this account, with all its rights. It holds for one identity, for seven days.`,
      confirm: t`Allow`,
      isHarmless: true,
      onConfirm: () => change(true),
    });
  return (
    <Button
      variant="default"
      size="compact-xs"
      loading={permit.isPending}
      onClick={() => (isPermitted ? change(false) : askToAllow())}
    >
      {isPermitted ? t`Withdraw link` : t`Allow link`}
    </Button>
  );
}

/** An administrator's actions on another account. */
function PersonActions({ account }: { account: AccountOut }) {
  const meta = refetchesOf(account.id);
  const reset = useMutation({ ...resetPasswordMutation(), meta });
  const update = useMutation({ ...updateAccountMutation(), meta });
  const { email } = account;
  const path = { account_id: account.id };
  const isDisabled = account.disabled_at !== null;
  const set = (disabled: boolean) => update.mutate({ path, body: { disabled } });
  const askToReset = () =>
    askFirst({
      title: t`Reset the password of ${email}?`,
      text: t`They get a one-time password. Their sessions end, and their API tokens are revoked.`,
      confirm: t`Reset password`,
      onConfirm: () => reset.mutate({ path }, { onSuccess: showOneTimePassword }),
    });
  const askToDeactivate = () =>
    askFirst({
      title: t`Deactivate ${email}?`,
      text: t`They cannot sign in any more. Their sessions end, and their API tokens are revoked. What they made is kept.`,
      confirm: t`Deactivate`,
      onConfirm: () => set(true),
    });
  return (
    <>
      <Button variant="default" loading={reset.isPending} onClick={askToReset}>
        {t`Reset password`}
      </Button>
      <Button
        variant="default"
        c={isDisabled ? undefined : 'var(--danger)'}
        loading={update.isPending}
        onClick={() => (isDisabled ? set(false) : askToDeactivate())}
      >
        {isDisabled ? t`Reactivate` : t`Deactivate`}
      </Button>
    </>
  );
}

const questions = (email: string): Record<Role, string> => ({
  viewer: t`Make ${email} a viewer?`,
  experimenter: t`Make ${email} an experimenter?`,
  administrator: t`Make ${email} an administrator?`,
});

function RoleSelect({ account }: { account: AccountOut }) {
  const update = useMutation({ ...updateAccountMutation(), meta: refetchesOf(account.id) });
  const ask = (role: Role) =>
    askFirst({
      title: questions(account.email)[role],
      text: t`Their sessions end, and their API tokens are revoked. They sign in again with the new role.`,
      confirm: t`Change role`,
      onConfirm: () => update.mutate({ path: { account_id: account.id }, body: { role } }),
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

function Details({ account, isSelf }: { account: AccountOut; isSelf: boolean }) {
  const { data: links } = useQuery(listIdentitiesOptions());
  return (
    <Panel
      title={t`Account`}
      note={
        isSelf && (
          <Trans>
            Your own account: change its password on the page{' '}
            <Anchor component={Link} to="/account" underline="always">
              Account
            </Anchor>
            .
          </Trans>
        )
      }
    >
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

function WaysIn({ account: { id, email }, isSelf }: { account: AccountOut; isSelf: boolean }) {
  const path = { account_id: id };
  const meta = refetchesOf(id);
  const end = useMutation({ ...endAccountSessionMutation(), meta });
  const endAll = useMutation({ ...endAccountSessionsMutation(), meta });
  const revoke = useMutation({ ...revokeAccountTokenMutation(), meta });
  const revokeAll = useMutation({ ...revokeAccountTokensMutation(), meta });
  const removePasskeys = useMutation({ ...removeAccountPasskeysMutation(), meta });
  return (
    <>
      <SessionsPanel
        sessions={useQuery({ ...listAccountSessionsOptions({ path }), select: itemsOf })}
        note={t`Browsers that are signed in to this account.`}
        end={(sessionId) => end.mutate({ path: { ...path, session_id: sessionId } })}
        endAll={{
          label: isSelf ? t`End all sessions, this one too` : t`End all sessions`,
          run: () => endAll.mutate({ path }),
        }}
      />
      <PasskeysPanel
        passkeys={useQuery({ ...listAccountPasskeysOptions({ path }), select: itemsOf })}
        note={t`Signing in with a password needs one of them, too.`}
        removeAll={{
          title: t`Remove all passkeys of ${email}?`,
          text: t`For somebody who has lost them. From now on their password alone opens this account, until they add a passkey.`,
          confirm: t`Remove all`,
          onConfirm: () => removePasskeys.mutate({ path }),
        }}
      />
      <TokensPanel
        tokens={useQuery({ ...listAccountTokensOptions({ path }), select: itemsOf })}
        revoke={(tokenId) => revoke.mutate({ path: { ...path, token_id: tokenId } })}
        revokeAll={() => revokeAll.mutate({ path })}
      />
    </>
  );
}

export default function PersonPage() {
  const { accountId = '' } = useParams();
  const query = useQuery(getAccountOptions({ path: { account_id: accountId } }));
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
            <WaysIn account={account} isSelf={isSelf} />
          </Stack>
        </>
      )}
    </QueryView>
  );
}
