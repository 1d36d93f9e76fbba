import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
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
import { ShownOnce } from '@/components/ui/CopyField';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { messageOf } from '@/lib/problem';

const REFETCHED = { refetches: [getNotificationsQueryKey()] };

/** Something is being sent, or will be tried again. */
const isOnItsWay = ({ last }: ChannelOut) => last !== null && last.next_attempt_at !== null;

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
          {t`Add webhook`}
        </Button>
      </Group>
      {create.data?.secret && (
        <ShownOnce
          value={create.data.secret}
          label={t`secret`}
          text={t`Copy the secret now: it is shown only once. Your receiver verifies the header webhook-signature with it.`}
        />
      )}
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
              {t`Turn on e-mail`}
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

function Outcome({ last }: ChannelOut) {
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
        {t`Send a test`}
      </Button>
      <Button variant="default" size="compact-xs" aria-label={t`Remove ${target}`} onClick={ask}>
        {t`Remove`}
      </Button>
    </Group>
  );
}

function ToldOf({ channel, what }: { channel: ChannelOut; what: 'runs' | 'hosts' }) {
  const update = useMutation({ ...updateChannelMutation(), meta: REFETCHED });
  const { target } = channel;
  return (
    <Switch
      size="xs"
      aria-label={what === 'runs' ? t`Tell ${target} of runs` : t`Tell ${target} of hosts`}
      checked={channel[what]}
      disabled={update.isPending}
      onChange={(event) =>
        update.mutate({ path: { channel_id: channel.id }, body: { [what]: event.currentTarget.checked } })
      }
    />
  );
}

const columns = (): Column<ChannelOut>[] => [
  {
    name: t({ message: 'To', context: 'channel' }),
    look: { fw: 500, style: { overflowWrap: 'anywhere' } },
    cell: ({ target }) => target,
  },
  { name: t`Runs`, cell: (channel) => <ToldOf channel={channel} what="runs" /> },
  { name: t`Hosts`, cell: (channel) => <ToldOf channel={channel} what="hosts" /> },
  { name: t`Last message`, cell: Outcome },
  { name: t`Actions`, hidden: true, cell: (channel) => <Actions channel={channel} /> },
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
        <DataTable columns={columns()} rows={channels} minWidth={680} />
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
