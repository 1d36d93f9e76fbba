import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { allOf } from '@/api/client';
import {
  drainHostMutation,
  type HostDetail,
  listHostsQueryKey,
  removeHostMutation,
  renewHostCredentialMutation,
} from '@/api/generated';
import { useHasRole } from '@/api/session';
import { askFirst } from '@/components/access/askFirst';
import { CopyField } from '@/components/ui/CopyField';
import { formatDateTime } from '@/lib/time';
import { DeleteHistoryDialog } from './DeleteHistoryDialog';

/** Revokes a host's credential once confirmed, and shows the command that gives its machine a new one. */
function RenewCredentialDialog({ host }: { host: HostDetail }) {
  const path = { host_id: host.id };
  const renew = useMutation({ ...renewHostCredentialMutation(), meta: { refetches: [allOf('hosts')] } });
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
        <Button color="red" loading={renew.isPending} onClick={() => renew.mutate({ path, body: {} })}>
          <Trans>Renew credential</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

function askToRenew(host: HostDetail) {
  const { name } = host;
  modals.open({
    title: t`Renew the credential of ${name}?`,
    size: 'lg',
    children: <RenewCredentialDialog host={host} />,
  });
}

function askToDelete(host: HostDetail) {
  const { name } = host;
  modals.open({
    title: t`Delete the history of ${name}?`,
    children: <DeleteHistoryDialog host={host} onClose={() => modals.closeAll()} />,
  });
}

/** An administrator's actions on a host. */
export function HostActions({ host }: { host: HostDetail }) {
  const isAdministrator = useHasRole('administrator');
  const path = { host_id: host.id };
  const drain = useMutation({ ...drainHostMutation(), meta: { refetches: [allOf('hosts')] } });
  // Not the host itself, which is gone.
  const remove = useMutation({ ...removeHostMutation(), meta: { refetches: [listHostsQueryKey()] } });
  const navigate = useNavigate();
  if (!isAdministrator) return null;
  const { name } = host;
  const askToRemove = () =>
    askFirst({
      title: t`Remove ${name}?`,
      text: t`Its credential is revoked immediately. Its past runs and their reports are kept; to delete them, delete its history first.`,
      confirm: t`Remove host`,
      onConfirm: () => remove.mutate({ path }, { onSuccess: () => void navigate('/hosts') }),
    });
  return (
    <>
      <Button
        variant="default"
        loading={drain.isPending}
        onClick={() => drain.mutate({ path, body: { draining: !host.draining } })}
      >
        {host.draining ? t`Accept runs again` : t`Drain`}
      </Button>
      <Button variant="default" onClick={() => askToRenew(host)}>
        <Trans>Renew credential</Trans>
      </Button>
      <Button variant="default" c="var(--danger)" onClick={() => askToDelete(host)}>
        {t`Delete history`}
      </Button>
      <Button variant="default" c="var(--danger)" loading={remove.isPending} onClick={askToRemove}>
        <Trans>Remove</Trans>
      </Button>
    </>
  );
}
