import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isOutdated } from '@/lib/release';

const ASK_EVERY_MS = 5 * 60_000;

function useNewRelease(): boolean {
  const { data = false } = useQuery({
    queryKey: ['release'],
    queryFn: isOutdated,
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.data ? false : ASK_EVERY_MS),
  });
  return data;
}

/** Says that the server has a newer version; when to change over is the reader's decision. */
export function ReleaseNotice() {
  if (!useNewRelease()) return null;
  return (
    <Alert role="status" variant="light" color="gray" mb="md" className="no-print">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          <Trans>A newer version of ngxlab was installed. Finish what you are doing, then load it.</Trans>
        </Text>
        <Button variant="default" onClick={() => window.location.reload()}>
          <Trans>Reload</Trans>
        </Button>
      </Group>
    </Alert>
  );
}
