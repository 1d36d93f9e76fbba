import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Switch, Table, Text } from '@mantine/core';
import type { ChannelOut, LastDelivery } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { RelativeTime } from '@/components/ui/Time';
import { useRemoveChannel, useSendTest, useUpdateChannel } from '../api/useChannels';
import { isOnItsWay } from '../api/useNotifications';

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
  const test = useSendTest(channel.id);
  const remove = useRemoveChannel(channel.id);
  const { target } = channel;
  const ask = () =>
    askFirst({
      title: t`Tell ${target} no more?`,
      text: t`What is still to be delivered there is dropped. A new webhook gets a new secret.`,
      confirm: t`Remove`,
      onConfirm: () => remove.mutate(),
    });
  const isTesting = test.isPending || (isOnItsWay(channel) && channel.last?.kind === 'test');
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-xs"
        loading={isTesting}
        aria-label={t`Send a test to ${target}`}
        onClick={() => test.mutate()}
      >
        <Trans>Send a test</Trans>
      </Button>
      <Button variant="default" size="compact-xs" aria-label={t`Remove ${target}`} onClick={ask}>
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

export function ChannelRow({ channel }: { channel: ChannelOut }) {
  const update = useUpdateChannel(channel.id);
  const { target } = channel;
  const choice = (what: 'runs' | 'hosts', label: string) => (
    <Switch
      size="xs"
      aria-label={label}
      checked={channel[what]}
      disabled={update.isPending}
      onChange={(event) => update.mutate({ [what]: event.currentTarget.checked })}
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
