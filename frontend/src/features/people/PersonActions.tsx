import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { AccountOut } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { useResetPassword } from './api/useResetPassword';
import { useUpdateAccount } from './api/useUpdateAccount';
import { showOneTimePassword } from './showOneTimePassword';

function ResetPasswordButton({ account }: { account: AccountOut }) {
  const reset = useResetPassword(account.id);
  const { email } = account;
  const ask = () =>
    askFirst({
      title: t`Reset the password of ${email}?`,
      text: t`They get a one-time password. Their sessions end, and their API tokens are revoked.`,
      confirm: t`Reset password`,
      onConfirm: () => reset.mutate(undefined, { onSuccess: showOneTimePassword }),
    });
  return (
    <Button variant="default" loading={reset.isPending} onClick={ask}>
      <Trans>Reset password</Trans>
    </Button>
  );
}

function DeactivateButton({ account }: { account: AccountOut }) {
  const update = useUpdateAccount();
  const { email } = account;
  const isDisabled = account.disabled_at !== null;
  const set = (disabled: boolean) => update.mutate({ id: account.id, body: { disabled } });
  const ask = () =>
    askFirst({
      title: t`Deactivate ${email}?`,
      text: t`They cannot sign in any more. Their sessions end, and their API tokens are revoked. What they made is kept.`,
      confirm: t`Deactivate`,
      onConfirm: () => set(true),
    });
  return (
    <Button
      variant="default"
      c={isDisabled ? undefined : 'var(--danger)'}
      loading={update.isPending}
      onClick={() => (isDisabled ? set(false) : ask())}
    >
      {isDisabled ? t`Reactivate` : t`Deactivate`}
    </Button>
  );
}

/** What an administrator does with somebody else's account. */
export function PersonActions({ account }: { account: AccountOut }) {
  return (
    <>
      <ResetPasswordButton account={account} />
      <DeactivateButton account={account} />
    </>
  );
}
