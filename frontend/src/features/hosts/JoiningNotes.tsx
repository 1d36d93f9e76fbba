import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import type { Joining } from '@/api/generated';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { useJoining } from './api/useJoining';

function given({ bundle }: Joining) {
  if (bundle === null) return '';
  const { python, machine } = bundle;
  return python
    ? t`The agent brings its packages for Python ${python}; with another Python the machine needs a Python package index. Load engines are for ${machine}; other architectures compile them.`
    : t`The agent comes without packages; the machine needs a Python package index. Load engines are for ${machine}; other architectures compile them.`;
}

/** Before a token is made: what a machine must have, and why none could join now. */
export function JoiningNotes() {
  const joining = useJoining();
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
