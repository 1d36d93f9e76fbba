import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CopyField } from '@/components/ui/CopyField';
import { Panel } from '@/components/ui/Panel';
import { messageOf } from '@/lib/problem';
import { useCreateChannel } from '../api/useChannels';

/** A secret is shown once: nobody can read it again later. */
function CreatedSecret({ secret }: { secret: string }) {
  return (
    <Stack gap={4} mt="md" role="status">
      <Text size="sm">
        {t`Copy the secret now: it is shown only once. Your receiver verifies the header webhook-signature with it.`}
      </Text>
      <CopyField value={secret} label={t`secret`} />
    </Stack>
  );
}

export function NewWebhookForm() {
  const [url, setUrl] = useState('');
  const create = useCreateChannel();
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate({ kind: 'webhook', url: url.trim() }, { onSuccess: () => setUrl('') });
  }
  return (
    <Panel
      title={t`New webhook`}
      note={t`ngxlab posts JSON to this address, signed as Standard Webhooks describes.`}
    >
      <Group component="form" onSubmit={submit} align="flex-start" gap="sm">
        <TextInput
          label="URL"
          placeholder="https://ci.example.org/hooks/ngxlab"
          maxLength={2000}
          value={url}
          error={create.error ? messageOf(create.error) : undefined}
          onChange={(event) => setUrl(event.currentTarget.value)}
          flex="1 1 260px"
          maw={520}
        />
        <Button type="submit" size="sm" mt={22} loading={create.isPending} disabled={!url.trim()}>
          <Trans>Add webhook</Trans>
        </Button>
      </Group>
      {create.data?.secret && <CreatedSecret secret={create.data.secret} />}
    </Panel>
  );
}
