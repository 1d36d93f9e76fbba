import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  type ChannelOut,
  createChannelMutation,
  getNotificationsOptions,
  getNotificationsQueryKey,
  type LastDelivery,
  removeChannelMutation,
  sendTestMutation,
  updateChannelMutation,
} from '@/api/generated';
import { useMe } from '@/api/session';
import { askFirst } from '@/components/access/askFirst';
import { CopyField } from '@/components/ui/CopyField';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { messageOf } from '@/lib/problem';

const REFETCHED = { refetches: [getNotificationsQueryKey()] };

/** Something is being sent, or will be tried again. */
const isOnItsWay = ({ last }: ChannelOut) => last !== null && last.next_attempt_at !== null;

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

function NewWebhookForm() {
  const [url, setUrl] = useState('');
  const create = useMutation({ ...createChannelMutation(), meta: { ...REFETCHED, errorShownInPlace: true } });
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate({ body: { kind: 'webhook', url: url.trim() } }, { onSuccess: () => setUrl('') });
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

/** Turn e-mail on, or read why there is none here. */
function EmailPanel({ off }: { off: string | null }) {
  const { data: me } = useMe();
  const create = useMutation({ ...createChannelMutation(), meta: { ...REFETCHED, errorShownInPlace: true } });
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
            <Button
              size="sm"
              loading={create.isPending}
              onClick={() => create.mutate({ body: { kind: 'email' } })}
            >
              <Trans>Turn on e-mail</Trans>
            </Button>
          </>
        )}
        {create.error && <ProblemNotice error={create.error} />}
      </Stack>
    </Panel>
  );
}

const kinds = (): Record<LastDelivery['kind'], string> => ({
  'run.ended': t`a run’s end`,
  'schedule.not_started': t`a run not started`,
  'host.away': t`a host away`,
  'host.back': t`a host back`,
  test: t`a test`,
});

function Outcome({ last }: { last: LastDelivery | null }) {
  if (last === null) return t`none`;
  const { error } = last;
  const what = kinds()[last.kind] ?? last.kind;
  if (last.delivered_at)
    return (
      <Trans>
        {what}, delivered <RelativeTime iso={last.delivered_at} />
      </Trans>
    );
  if (last.next_attempt_at === null)
    return (
      <Text span size="sm" c="var(--danger)">
        {t`${what}, not delivered: ${error ?? ''}`}
      </Text>
    );
  return error ? t`${what}, will be tried again: ${error}` : t`${what}, on its way`;
}

function Actions({ channel }: { channel: ChannelOut }) {
  const test = useMutation({ ...sendTestMutation(), meta: REFETCHED });
  const remove = useMutation({ ...removeChannelMutation(), meta: REFETCHED });
  const { target } = channel;
  const path = { channel_id: channel.id };
  const ask = () =>
    askFirst({
      title: t`Tell ${target} no more?`,
      text: t`What is still to be delivered there is dropped. A new webhook gets a new secret.`,
      confirm: t`Remove`,
      onConfirm: () => remove.mutate({ path }),
    });
  const isTesting = test.isPending || (isOnItsWay(channel) && channel.last?.kind === 'test');
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-xs"
        loading={isTesting}
        aria-label={t`Send a test to ${target}`}
        onClick={() => test.mutate({ path })}
      >
        <Trans>Send a test</Trans>
      </Button>
      <Button variant="default" size="compact-xs" aria-label={t`Remove ${target}`} onClick={ask}>
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

function ChannelRow({ channel }: { channel: ChannelOut }) {
  const update = useMutation({ ...updateChannelMutation(), meta: REFETCHED });
  const { target } = channel;
  const choice = (what: 'runs' | 'hosts', label: string) => (
    <Switch
      size="xs"
      aria-label={label}
      checked={channel[what]}
      disabled={update.isPending}
      onChange={(event) =>
        update.mutate({ path: { channel_id: channel.id }, body: { [what]: event.currentTarget.checked } })
      }
    />
  );
  return (
    <Table.Tr>
      <Table.Td fw={500} style={{ overflowWrap: 'anywhere' }}>
        {target}
      </Table.Td>
      <Table.Td>{choice('runs', t`Tell ${target} of runs`)}</Table.Td>
      <Table.Td>{choice('hosts', t`Tell ${target} of hosts`)}</Table.Td>
      <Table.Td>
        <Outcome last={channel.last} />
      </Table.Td>
      <Table.Td>
        <Actions channel={channel} />
      </Table.Td>
    </Table.Tr>
  );
}

const columns = () => [
  t({ message: 'To', context: 'channel' }),
  t`Runs`,
  t`Hosts`,
  t`Last message`,
  { name: t`Actions`, hidden: true },
];

/** All channels, what each tells of, and what became of its last message. */
function ChannelsPanel({ channels }: { channels: readonly ChannelOut[] }) {
  return (
    <Panel
      title={t`You are told`}
      note={t`Runs: one of yours ended, or a scheduled one did not start. Hosts: one that you invited is away or back.`}
      flush={channels.length > 0}
    >
      {channels.length === 0 ? (
        <EmptyState title={t`Nowhere yet`}>{t`Turn on e-mail or add a webhook.`}</EmptyState>
      ) : (
        <WideTable minWidth={680}>
          <Table>
            <HeadRow columns={columns()} />
            <Table.Tbody>
              {channels.map((channel) => (
                <ChannelRow key={channel.id} channel={channel} />
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
    </Panel>
  );
}

/** The channels by which a person is told that a run has ended or a host is away. */
export function NotificationsTab() {
  const query = useQuery({
    ...getNotificationsOptions(),
    refetchInterval: ({ state }) => (state.data?.channels.some(isOnItsWay) ? 2_000 : false),
  });
  return (
    <QueryView query={query} skeleton={[90, 140, 120]}>
      {({ channels, email_off }) => (
        <Stack gap="md">
          {!channels.some(({ kind }) => kind === 'email') && <EmailPanel off={email_off} />}
          <NewWebhookForm />
          <ChannelsPanel channels={channels} />
        </Stack>
      )}
    </QueryView>
  );
}
