import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { ChannelOut } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { ChannelRow } from './ChannelRow';

const columns = () => [
  t({ message: 'To', context: 'channel' }),
  t`Runs`,
  t`Hosts`,
  t`Last message`,
  { name: t`Actions`, hidden: true },
];

/** All channels, what each tells of, and what became of its last message. */
export function ChannelsPanel({ channels }: { channels: readonly ChannelOut[] }) {
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
