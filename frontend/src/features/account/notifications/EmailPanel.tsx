import { Button, Stack, Text } from '@mantine/core';
import { useMe } from '@/api/useMe';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { useCreateChannel } from '../api/useChannels';

/** Turn e-mail on, or read why there is none here. */
export function EmailPanel({ off }: { off: string | null }) {
  const { data: me } = useMe();
  const create = useCreateChannel();
  return (
    <Panel title="E-mail">
      <Stack gap="sm" align="flex-start">
        {off ? (
          <Text size="sm">{off}</Text>
        ) : (
          <>
            <Text size="sm">Messages go to {me?.account.email}.</Text>
            <Button size="sm" loading={create.isPending} onClick={() => create.mutate({ kind: 'email' })}>
              Turn on e-mail
            </Button>
          </>
        )}
        {create.error && <ProblemNotice error={create.error} />}
      </Stack>
    </Panel>
  );
}
