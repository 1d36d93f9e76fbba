import { Button, Group, Switch, Table, Text } from '@mantine/core';
import type { ChannelOut, LastDelivery } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { RelativeTime } from '@/components/ui/Time';
import { useRemoveChannel, useSendTest, useUpdateChannel } from '../api/useChannels';
import { isOnItsWay } from '../api/useNotifications';

const WHAT: Record<LastDelivery['kind'], string> = {
  'run.ended': 'a run’s end',
  'schedule.not_started': 'a run not started',
  'host.away': 'a host away',
  'host.back': 'a host back',
  test: 'a test',
};

function Outcome({ last }: { last: LastDelivery | null }) {
  if (last === null) return <>none</>;
  const what = WHAT[last.kind] ?? last.kind;
  if (last.delivered_at)
    return (
      <>
        {what}, delivered <RelativeTime iso={last.delivered_at} />
      </>
    );
  if (last.next_attempt_at === null)
    return (
      <Text span size="sm" c="var(--danger)">
        {what}, not delivered: {last.error}
      </Text>
    );
  return (
    <>
      {what}, {last.error ? `will be tried again: ${last.error}` : 'on its way'}
    </>
  );
}

function Actions({ channel }: { channel: ChannelOut }) {
  const test = useSendTest(channel.id);
  const remove = useRemoveChannel(channel.id);
  const ask = () =>
    askFirst({
      title: `Tell ${channel.target} no more?`,
      text: 'What is still to be delivered there is dropped. A new webhook gets a new secret.',
      confirm: 'Remove',
      onConfirm: () => remove.mutate(),
    });
  const isTesting = test.isPending || (isOnItsWay(channel) && channel.last?.kind === 'test');
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-xs"
        loading={isTesting}
        aria-label={`Send a test to ${channel.target}`}
        onClick={() => test.mutate()}
      >
        Send a test
      </Button>
      <Button variant="default" size="compact-xs" aria-label={`Remove ${channel.target}`} onClick={ask}>
        Remove
      </Button>
    </Group>
  );
}

export function ChannelRow({ channel }: { channel: ChannelOut }) {
  const update = useUpdateChannel(channel.id);
  const choice = (what: 'runs' | 'hosts') => (
    <Switch
      size="xs"
      aria-label={`Tell ${channel.target} of ${what}`}
      checked={channel[what]}
      disabled={update.isPending}
      onChange={(event) => update.mutate({ [what]: event.currentTarget.checked })}
    />
  );
  return (
    <Table.Tr>
      <Table.Td fw={500} style={{ overflowWrap: 'anywhere' }}>
        {channel.target}
      </Table.Td>
      <Table.Td>{choice('runs')}</Table.Td>
      <Table.Td>{choice('hosts')}</Table.Td>
      <Table.Td>
        <Outcome last={channel.last} />
      </Table.Td>
      <Table.Td>
        <Actions channel={channel} />
      </Table.Td>
    </Table.Tr>
  );
}
