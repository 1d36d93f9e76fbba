import { Alert, Text } from '@mantine/core';
import type { Joining } from '@/api/generated';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { useJoining } from './api/useJoining';

function given({ bundle }: Joining) {
  if (bundle === null) return '';
  const packages = bundle.python
    ? `brings its packages for Python ${bundle.python}; with another Python`
    : 'comes without packages;';
  return `The agent ${packages} the machine needs a Python package index. Load engines are for ${bundle.machine}; other architectures compile them.`;
}

/** Before a token is made: what a machine must have, and why none could join now. */
export function JoiningNotes() {
  const joining = useJoining();
  if (joining.isError) return <ProblemNotice error={joining.error} retry={() => void joining.refetch()} />;
  if (joining.isPending)
    return (
      <Text size="sm" c="var(--text-dim)">
        Asking what this server offers…
      </Text>
    );
  return (
    <>
      {joining.data.obstacles.map((obstacle) => (
        <Alert
          key={obstacle}
          role="alert"
          variant="light"
          color="yellow"
          title="No other machine can join yet"
        >
          {obstacle}
        </Alert>
      ))}
      <Text size="sm">
        It needs Debian 12 or Ubuntu 24.04 or newer, root or sudo, curl or wget, and must reach{' '}
        <code>{joining.data.server}</code>. {given(joining.data)}
      </Text>
    </>
  );
}
