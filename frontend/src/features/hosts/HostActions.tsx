import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useNavigate } from 'react-router';
import type { HostDetail } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { useDrainHost } from './api/useDrainHost';
import { useRemoveHost } from './api/useRemoveHost';
import { DeleteHistoryDialog } from './history/DeleteHistoryDialog';
import { RenewCredentialDialog } from './RenewCredentialDialog';

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

function askToRemove({ name }: HostDetail, onConfirm: () => void) {
  modals.openConfirmModal({
    title: t`Remove ${name}?`,
    children: (
      <Text size="sm">
        {t`Its credential is revoked immediately. Its past runs and their reports are kept; to delete them, delete its history first.`}
      </Text>
    ),
    labels: { confirm: t`Remove host`, cancel: t`Cancel` },
    confirmProps: { color: 'red' },
    onConfirm,
  });
}

/** What an administrator may do with a host. */
export function HostActions({ host }: { host: HostDetail }) {
  const isAdministrator = useHasRole('administrator');
  const drain = useDrainHost(host.id);
  const remove = useRemoveHost(host.id);
  const navigate = useNavigate();
  if (!isAdministrator) return null;
  const removeAndLeave = () => remove.mutate(undefined, { onSuccess: () => void navigate('/hosts') });
  return (
    <>
      <Button variant="default" loading={drain.isPending} onClick={() => drain.mutate(!host.draining)}>
        {host.draining ? t`Accept runs again` : t`Drain`}
      </Button>
      <Button variant="default" onClick={() => askToRenew(host)}>
        <Trans>Renew credential</Trans>
      </Button>
      <Button variant="default" c="var(--danger)" onClick={() => askToDelete(host)}>
        {t`Delete history`}
      </Button>
      <Button
        variant="default"
        c="var(--danger)"
        loading={remove.isPending}
        onClick={() => askToRemove(host, removeAndLeave)}
      >
        <Trans>Remove</Trans>
      </Button>
    </>
  );
}
