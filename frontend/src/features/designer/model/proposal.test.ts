import { describe, expect, it } from 'vitest';
import { differingDirectives, proposedMetrics } from './proposal';

const KNOWN = [
  'requests_per_s',
  'latency_p99_us',
  'response_bytes',
  'cpu_s_per_1000_requests',
  'upstream_requests_per_1000_requests',
  'full_handshakes_per_1000_requests',
];
const proposed = (...directives: string[]) =>
  proposedMetrics(directives, KNOWN, ['requests_per_s', 'latency_p99_us']);

describe('the primary metrics that what differs speaks of', () => {
  it.each([
    ['gzip_comp_level', ['response_bytes', 'cpu_s_per_1000_requests', 'requests_per_s']],
    ['proxy_cache', ['upstream_requests_per_1000_requests', 'latency_p99_us', 'requests_per_s']],
    ['ssl_session_cache', ['full_handshakes_per_1000_requests', 'cpu_s_per_1000_requests', 'requests_per_s']],
  ])('are for %s', (directive, metrics) => expect(proposed(directive)).toEqual(metrics));

  it('are one of each where several differ, and none where nothing is known of them', () => {
    expect(proposed('gzip', 'proxy_cache')).toEqual([
      'response_bytes',
      'upstream_requests_per_1000_requests',
      'cpu_s_per_1000_requests',
    ]);
    expect(proposed('worker_processes')).toEqual([]);
    expect(proposed('limit_req')).toEqual(['latency_p99_us', 'requests_per_s']); // no load tells refusals here
  });

  it('come of lines that not all arms have', () => {
    const off = 'http {\n  gzip off;\n  server {\n    root @@folder@@/files;\n  }\n}';
    const on = off.replace('gzip off;', 'gzip on;\n  gzip_comp_level 6;');
    expect(differingDirectives([off, on])).toEqual(['gzip', 'gzip_comp_level']);
    expect(differingDirectives([off, off])).toEqual([]);
  });
});
