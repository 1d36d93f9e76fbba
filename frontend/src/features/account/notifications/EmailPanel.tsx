import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useMe } from '@/api/useMe';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { useCreateChannel } from '../api/useChannels';

/** Turn e-mail on, or read why there is none here. */
export function EmailPanel({ off }: { off: string | null }) {
  const { data: me } = useMe();
  const create = useCreateChannel();
  const email = me?.account.email ?? '';
  return (
    <Panel title={t`E-mail`}>
      <Stack gap="sm" align="flex-start">
        {off ? (
          <Text size="sm" lang="en">
            {off}
          </Text>
        ) : (
          <>
            <Text size="sm">{t`Messages go to ${email}.`}</Text>
            <Button size="sm" loading={create.isPending} onClick={() => create.mutate({ kind: 'email' })}>
              <Trans>Turn on e-mail</Trans>
            </Button>
          </>
        )}
        {create.error && <ProblemNotice error={create.error} />}
      </Stack>
    </Panel>
  );
}
