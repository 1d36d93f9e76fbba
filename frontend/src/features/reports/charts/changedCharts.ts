import type { RunAnalysis } from '@/api/generated';
import { type Change, changesOf } from '../comparison/changes';
import type { Shown } from './ArmsChart';

/** The series that shows a metric over time; and of its lines one, or all. */
const CHARTS: Record<string, readonly [series: string, line?: string]> = {
  requests_per_s: ['requests_per_s'],
  latency_p50_us: ['latency_ms', 'p50'],
  latency_mean_us: ['latency_ms', 'p50'],
  latency_p99_us: ['latency_ms', 'p99'],
  latency_stdev_us: ['latency_ms', 'p99'],
  rejected_per_s: ['rejected_per_s'],
  rejected_percent: ['rejected_per_s'],
  rejected_latency_p50_us: ['rejected_ms', 'p50'],
  rejected_latency_p99_us: ['rejected_ms', 'p99'],
  cpu_s_per_1000_requests: ['cpu_share', 'user'],
  nginx_cpu_percent: ['cpu_share', 'user'],
  worker_blocked_percent: ['worker_threads', 'D'],
  request_time_p50_ms: ['request_time_ms', 'p50'],
  request_time_p99_ms: ['request_time_ms', 'p99'],
  upstream_time_p50_ms: ['upstream_time_ms', 'p50'],
  upstream_time_p99_ms: ['upstream_time_ms', 'p99'],
  connections_per_1000_requests: ['accepts_per_s'],
  upstream_requests_per_1000_requests: ['upstream_requests_per_s'],
  upstream_connections_per_1000_requests: ['upstream_connections'],
  handshakes_per_s: ['stream_handshakes_per_s'],
  full_handshakes_per_1000_requests: ['stream_handshakes_per_s'],
  disk_read_bytes_per_s: ['disk_bytes_per_s'],
  disk_written_bytes_per_request: ['disk_bytes_per_s'],
  load1: ['load_average'],
  network_in_bits_per_s: ['network_bits_per_s', 'received'],
  network_out_bits_per_s: ['network_bits_per_s', 'transmitted'],
  memory_available_drop_bytes: ['memory_available_bytes'],
};

function shows({ metric: { key } }: Change, { info, label }: Shown): boolean {
  const [series, line] = CHARTS[key] ?? [];
  const isOfAnotherHost = label.includes(': '); // "gen-a: user"; claims are about nginx's own
  if (info.key !== series || isOfAnotherHost) return false;
  return line === undefined || label === line || label.endsWith(` ${line}`);
}

export interface ChangedChart {
  chart: Shown;
  changes: Change[];
}

/** Charts of what is said to differ between arms, the clearest first, and the others in their order. */
export function apart(
  analysis: RunAnalysis,
  charts: readonly Shown[],
): [changed: ChangedChart[], others: Shown[]] {
  const changes = changesOf(analysis);
  const found = new Map<Shown, Change[]>();
  for (const change of changes)
    for (const chart of charts.filter((one) => shows(change, one)))
      found.set(chart, [...(found.get(chart) ?? []), change]);
  const changed = [...found].map(([chart, own]) => ({ chart, changes: own }));
  return [changed, charts.filter((chart) => !found.has(chart))];
}
