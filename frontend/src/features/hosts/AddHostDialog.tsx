import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { EnrolmentTokenCreated } from '@/api/generated';
import { CopyField } from '@/components/ui/CopyField';
import { formatDateTime } from '@/lib/time';
import { useCreateEnrolmentToken } from './api/useCreateEnrolmentToken';
import { JoiningNotes } from './JoiningNotes';

const lifetimes = () => [
  { value: '60', label: t`1 hour` },
  { value: '1440', label: t`1 day` },
  { value: '10080', label: t`7 days` },
];

function Command({ command, expires_at }: EnrolmentTokenCreated) {
  const end = formatDateTime(expires_at);
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          Run this line on the new host, as root or with sudo. It installs the agent as a service, and ends
          with <em>idle</em>. It works once, and may be run again after an error.
        </Trans>
      </Text>
      <CopyField value={command} label={t`join command`} />
      <Text size="xs" c="var(--text-dim)">
        <Trans>
          Valid until {end}. The token is not shown again. The script is plain text to read first, and has no
          secret; on the host, <code>ngxlab host status</code> says how it is.
        </Trans>
      </Text>
    </Stack>
  );
}

/** Makes a one-time token and shows the command that joins a host with it. */
export function AddHostDialog() {
  const [minutes, setMinutes] = useState('60');
  const create = useCreateEnrolmentToken();
  if (create.data) return <Command {...create.data} />;
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          A host joins with a one-time token and receives its own credential. It then accepts runs from this
          server.
        </Trans>
      </Text>
      <JoiningNotes />
      <Select
        label={t`The token is valid for`}
        data={lifetimes()}
        value={minutes}
        onChange={(value) => value && setMinutes(value)}
        allowDeselect={false}
      />
      <Group justify="flex-end">
        <Button loading={create.isPending} onClick={() => create.mutate(Number(minutes))}>
          <Trans>Create token</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
