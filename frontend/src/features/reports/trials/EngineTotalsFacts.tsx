import { Text } from '@mantine/core';
import type { EngineTotals } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { formatBytes, formatNumber } from '@/lib/format';

const ERRORS = ['connect', 'read', 'write', 'timeout', 'garbage'] as const;

function errorText(totals: EngineTotals): string {
  const found = ERRORS.flatMap((kind) => {
    const count = totals[`errors_${kind}`] ?? 0;
    return count > 0 ? [`${formatNumber(count)} ${kind}`] : [];
  });
  return found.join(', ') || 'none';
}

/** What an engine of our own counted over its whole life. */
export function EngineTotalsFacts({ title, totals }: { title: string; totals: EngineTotals }) {
  const memory = totals.own_memory_bytes ?? null;
  const held = totals.connections_max ?? 0;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Facts
        rows={[
          ['Intended', totals.intended == null ? null : formatNumber(totals.intended)],
          ['Sent', formatNumber(totals.sent)],
          ['Answered', formatNumber(totals.completed)],
          ['Not served', formatNumber(totals.errors_status ?? 0)],
          ['Not answered at the end', formatNumber(totals.unfinished ?? 0)],
          ['Maximum backlog', formatNumber(totals.backlog_max ?? 0)],
          ['Peak connections', formatNumber(held)],
          ['Opened', formatNumber(totals.connects)],
          ['Reopened', formatNumber(totals.reconnects)],
          ['Read', formatBytes(totals.bytes_read)],
          ['Processes', formatNumber(totals.processes)],
          ['Generator memory', memory === null ? null : formatBytes(memory)],
          [
            'Generator memory per connection',
            memory === null || held === 0 ? null : `${Math.round(memory / held)} B`,
          ],
          ['Errors', errorText(totals)],
        ]}
      />
      <Text size="xs" c="var(--text-dim)" mt={4}>
        Over the generator's whole run, including warm-up; not the values of the measured window.
      </Text>
    </div>
  );
}
