import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { HostDetail } from '@/api/generated';
import { CopyField } from '@/components/ui/CopyField';
import { formatDateTime } from '@/lib/time';
import { useRenewCredential } from './api/useRenewCredential';

/** Revokes a host's credential once confirmed, and shows the command that gives its machine a new one. */
export function RenewCredentialDialog({ host }: { host: HostDetail }) {
  const renew = useRenewCredential(host.id);
  const { name } = host;
  if (renew.data) {
    const end = formatDateTime(renew.data.expires_at);
    return (
      <Stack gap="sm">
        <Text size="sm">
          {t`The old credential is revoked. Run this line on the machine that is to remain ${name}, as root or with sudo. It works once.`}
        </Text>
        <CopyField value={renew.data.command} label={t`join command`} />
        <Text size="xs" c="var(--text-dim)">
          {t`Valid until ${end}. The token is not shown again.`}
        </Text>
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          Every agent that uses the present credential is locked out immediately, and a trial in progress is
          lost. The host keeps its name, its past runs and its place in the queue, and is offline until its
          machine has joined again with the command that you get next.
        </Trans>
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => modals.closeAll()}>
          <Trans>Cancel</Trans>
        </Button>
        <Button color="red" loading={renew.isPending} onClick={() => renew.mutate()}>
          <Trans>Renew credential</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
