import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { RejectedSummary, StreamSummary } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { formatMicroseconds, formatNumber, formatValue } from '@/lib/format';

const meanings = (): Record<RejectedSummary['told_apart'], string> => ({
  all: t`Neither rate nor latency of the stream includes them.`,
  rate: t`The rate of the stream is without them. Its latency includes them: the engine cannot tell them apart.`,
  nothing: t`Rate and latency of the stream include them: nothing tells them apart.`,
});

const statusesOf = ({ statuses }: RejectedSummary) =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${formatNumber(count)}`)
    .join(', ');

const isAny = (rejected: RejectedSummary) =>
  rejected.requests > 0 || rejected.told_apart !== 'all' || Object.keys(rejected.statuses).length > 0;

/** The responses that served nobody, stream by stream; nothing where there were none. */
export function RejectedFacts({ streams }: { streams: readonly StreamSummary[] }) {
  return streams.map((stream) => <OfStream key={stream.stream} stream={stream} />);
}

function OfStream({ stream: { stream, rejected } }: { stream: StreamSummary }) {
  if (!rejected || !isAny(rejected)) return null;
  const { requests, per_s, share_percent, latency, told_apart } = rejected;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {t`Rejected requests (${stream})`}
      </Text>
      <Facts
        rows={[
          [t`In the window`, formatNumber(requests)],
          [t`Rate`, formatValue(per_s, 'requests/s')],
          [t`Share of all responses`, formatValue(share_percent, '%')],
          [t`Latency, p50`, latency ? formatMicroseconds(latency.p50_us) : null],
          [t`Latency, p99`, latency ? formatMicroseconds(latency.p99_us) : null],
          [t`By status, whole run`, statusesOf(rejected) || null],
        ]}
      />
      <Text size="xs" c="var(--text-dim)" mt={4}>
        {meanings()[told_apart]}
      </Text>
    </div>
  );
}
