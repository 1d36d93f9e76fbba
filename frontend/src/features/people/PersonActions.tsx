import { Button } from '@mantine/core';
import type { AccountOut } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { useResetPassword } from './api/useResetPassword';
import { useUpdateAccount } from './api/useUpdateAccount';
import { showOneTimePassword } from './showOneTimePassword';

function ResetPasswordButton({ account }: { account: AccountOut }) {
  const reset = useResetPassword(account.id);
  const ask = () =>
    askFirst({
      title: `Reset the password of ${account.email}?`,
      text: 'They get a one-time password. Their sessions end, and their API tokens are revoked.',
      confirm: 'Reset password',
      onConfirm: () => reset.mutate(undefined, { onSuccess: showOneTimePassword }),
    });
  return (
    <Button variant="default" loading={reset.isPending} onClick={ask}>
      Reset password
    </Button>
  );
}

function DeactivateButton({ account }: { account: AccountOut }) {
  const update = useUpdateAccount();
  const isDisabled = account.disabled_at !== null;
  const set = (disabled: boolean) => update.mutate({ id: account.id, body: { disabled } });
  const ask = () =>
    askFirst({
      title: `Deactivate ${account.email}?`,
      text: 'They cannot sign in any more. Their sessions end, and their API tokens are revoked. What they made is kept.',
      confirm: 'Deactivate',
      onConfirm: () => set(true),
    });
  return (
    <Button
      variant="default"
      c={isDisabled ? undefined : 'var(--danger)'}
      loading={update.isPending}
      onClick={() => (isDisabled ? set(false) : ask())}
    >
      {isDisabled ? 'Reactivate' : 'Deactivate'}
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
