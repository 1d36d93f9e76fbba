import { Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { OneTimePassword } from '@/api/generated';
import { CopyField } from '@/components/ui/CopyField';
import { formatDateTime } from '@/lib/time';

function Notice({ made }: { made: OneTimePassword }) {
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Give it to {made.account.email} by a channel that you trust. It is shown only now, works until{' '}
        {formatDateTime(made.expires_at)}, and has to be replaced after signing in.
      </Text>
      <CopyField value={made.password} label="one-time password" />
    </Stack>
  );
}

/** A password that nobody can read again later. A click beside the dialog does not close it. */
export function showOneTimePassword(made: OneTimePassword): void {
  modals.open({
    title: 'One-time password',
    closeOnClickOutside: false,
    children: <Notice made={made} />,
  });
}
