import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { EngineTotals } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { formatBytes, formatNumber } from '@/lib/format';

const errors = () =>
  ({
    connect: t({ message: 'connect', context: 'errors' }),
    read: t({ message: 'read', context: 'errors' }),
    write: t({ message: 'write', context: 'errors' }),
    timeout: t({ message: 'timeout', context: 'errors' }),
    garbage: t({ message: 'garbage', context: 'errors' }),
  }) as const;
const KINDS = ['connect', 'read', 'write', 'timeout', 'garbage'] as const;

function errorText(totals: EngineTotals): string {
  const found = KINDS.flatMap((kind) => {
    const count = totals[`errors_${kind}`] ?? 0;
    return count > 0 ? [`${formatNumber(count)} ${errors()[kind]}`] : [];
  });
  return found.join(', ') || t`none`;
}

/** What an engine of our own counted over its whole life. */
export function EngineTotalsFacts({ title, totals }: { title: string; totals: EngineTotals }) {
  const memory = totals.own_memory_bytes ?? null;
  const held = totals.connections_max ?? 0;
  const each = memory === null || held === 0 ? null : `${Math.round(memory / held)} B`;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Facts
        rows={[
          [t`Intended`, totals.intended == null ? null : formatNumber(totals.intended)],
          [t`Sent`, formatNumber(totals.sent)],
          [t`Answered`, formatNumber(totals.completed)],
          [t`Not served`, formatNumber(totals.errors_status ?? 0)],
          [t`Not answered at the end`, formatNumber(totals.unfinished ?? 0)],
          [t`Maximum backlog`, formatNumber(totals.backlog_max ?? 0)],
          [t`Peak connections`, formatNumber(held)],
          [t`Opened`, formatNumber(totals.connects)],
          [t`Reopened`, formatNumber(totals.reconnects)],
          [t({ message: 'Read', context: 'bytes' }), formatBytes(totals.bytes_read)],
          [t`Processes`, formatNumber(totals.processes)],
          [t`Generator memory`, memory === null ? null : formatBytes(memory)],
          [t`Generator memory per connection`, each],
          [t`Errors`, errorText(totals)],
        ]}
      />
      <Text size="xs" c="var(--text-dim)" mt={4}>
        <Trans>
          Over the generator's whole run, including warm-up; not the values of the measured window.
        </Trans>
      </Text>
    </div>
  );
}
