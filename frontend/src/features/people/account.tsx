import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { AccountOut, OneTimePassword } from '@/api/generated';
import { CopyField } from '@/components/ui/CopyField';
import { StateText } from '@/components/ui/StateText';
import { formatDateTime } from '@/lib/time';

/** Whether somebody can sign in, as a mark and words. */
export function AccountState({ account }: { account: AccountOut }) {
  if (account.disabled_at) return <StateText tone="danger">{t`deactivated`}</StateText>;
  if (account.must_change_password) return <StateText tone="waiting">{t`one-time password`}</StateText>;
  return <StateText tone="done">{t({ message: 'active', context: 'account' })}</StateText>;
}

function Notice({ made }: { made: OneTimePassword }) {
  const { email } = made.account;
  const end = formatDateTime(made.expires_at);
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <Trans>
          Give it to {email} by a channel that you trust. It is shown only now, works until {end}, and has to
          be replaced after signing in.
        </Trans>
      </Text>
      <CopyField value={made.password} label={t`one-time password`} />
    </Stack>
  );
}

/** A password that nobody can read again later. A click beside the dialog does not close it. */
export function showOneTimePassword(made: OneTimePassword): void {
  modals.open({
    title: t`One-time password`,
    closeOnClickOutside: false,
    children: <Notice made={made} />,
  });
}
