import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EnrolmentTokenCreated, Joining } from '@/api/generated';
import { createEnrolmentTokenMutation, getJoiningOptions } from '@/api/generated';
import { CopyField } from '@/components/ui/CopyField';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDateTime } from '@/lib/time';

function given({ bundle }: Joining) {
  if (bundle === null) return '';
  const { python, machine } = bundle;
  return python
    ? t`The agent brings its packages for Python ${python}; with another Python the machine needs a Python package index. Load engines are for ${machine}; other architectures compile them.`
    : t`The agent comes without packages; the machine needs a Python package index. Load engines are for ${machine}; other architectures compile them.`;
}

/** Before a token is made: what a machine must have, and why none could join now. */
function JoiningNotes() {
  const joining = useQuery(getJoiningOptions());
  if (joining.isError) return <ProblemNotice error={joining.error} retry={() => void joining.refetch()} />;
  if (joining.isPending)
    return (
      <Text size="sm" c="var(--text-dim)">
        <Trans>Asking what this server offers…</Trans>
      </Text>
    );
  const { server } = joining.data;
  return (
    <>
      {joining.data.obstacles.map((obstacle) => (
        <Alert
          key={obstacle}
          role="alert"
          variant="light"
          color="yellow"
          title={t`No other machine can join yet`}
        >
          <InEnglish>{obstacle}</InEnglish>
        </Alert>
      ))}
      <Text size="sm">
        <Trans>
          It needs Debian 12 or Ubuntu 24.04 or newer, root or sudo, curl or wget, and must reach{' '}
          <code>{server}</code>.
        </Trans>{' '}
        {given(joining.data)}
      </Text>
    </>
  );
}

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
  const create = useMutation(createEnrolmentTokenMutation());
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
        <Button
          loading={create.isPending}
          onClick={() => create.mutate({ body: { expires_in_minutes: Number(minutes) } })}
        >
          <Trans>Create token</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
