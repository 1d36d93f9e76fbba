import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { AccountOut, LinkedIdentity } from '@/api/generated';
import { useIdentities, usePermitLink } from './api/useIdentities';

function Linked({ identity: { email, issuer } }: { identity: LinkedIdentity }) {
  return (
    <Text size="xs" c="var(--text-dim)" title={t`${email} at ${issuer}`}>
      <Trans>linked</Trans>
    </Text>
  );
}

/** Whether an account signs in at the provider, or the leave to do so. Nothing where there is no provider. */
export function LinkPermit({ account }: { account: AccountOut }) {
  const { data: links } = useIdentities();
  const permit = usePermitLink();
  if (!links?.enabled) return null;
  const identity = links.identities.find((one) => one.account_id === account.id);
  if (identity) return <Linked identity={identity} />;
  const { email } = account;
  const isPermitted = account.id in links.permitted;
  const change = (allowed: boolean) => permit.mutate({ id: account.id, allowed });
  const askToAllow = () =>
    modals.openConfirmModal({
      title: t`Link ${email} to the sign-in provider?`,
      children: (
        <Text size="sm">
          {t`Whoever has the verified address ${email} at the provider can then sign in as this account, with all its rights. It holds for one identity, for seven days.`}
        </Text>
      ),
      labels: { confirm: t`Allow`, cancel: t`Cancel` },
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
