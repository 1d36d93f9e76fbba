import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { endRehearsalMutation } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { askFirst } from '@/components/access/askFirst';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDateTime } from '@/lib/time';
import { readinessKey, useReadiness } from './SystemNotice';

/** Says that the server rehearses a restored backup; an administrator may say that it is the real installation. */
export function RehearsalNotice() {
  const backupOf = useReadiness().data?.rehearsal_of;
  return backupOf ? <OfBackup moment={formatDateTime(backupOf)} /> : null;
}

function OfBackup({ moment }: { moment: string }) {
  const isAdministrator = useHasRole('administrator');
  const end = useMutation({ ...endRehearsalMutation(), meta: { refetches: [readinessKey] } });
  const ask = () =>
    askFirst({
      title: t`Is this the real installation?`,
      text: t`Its schedules, notifications and waiting runs go on. If the original still runs, both will measure, and both will send the same messages.`,
      confirm: t`This is the real one`,
      onConfirm: () => end.mutate({}),
    });
  return (
    <Alert
      role="status"
      variant="light"
      color="yellow"
      mb="md"
      className="no-print"
      title={t`A rehearsal with the backup of ${moment}`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" maw="70ch">
          {t`This server disturbs no original that may still run: it starts no run, fires no schedule and sends no notification. Everything can be read.`}
        </Text>
        {isAdministrator && (
          <Button variant="default" onClick={ask} loading={end.isPending}>
            {t`This is the real one`}…
          </Button>
        )}
      </Group>
      {end.error && <ProblemNotice error={end.error} />}
    </Alert>
  );
}
