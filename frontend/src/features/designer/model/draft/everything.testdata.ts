import type { Definition } from '@/api/generated';
import { blankDraft, toDefinition } from './draft';

/** A definition that uses what most leave out: every engine, behaviour, action and schedule. For tests. */
export const everything = (): Definition =>
  ({
    ...toDefinition(blankDraft()),
    question: 'Why?',
    nginx: {
      ...(toDefinition(blankDraft()).nginx as object),
      ports: 4,
      request_times: true,
      files: [
        {
          folder: 'big',
          count: 10,
          size_bytes: null,
          sizes: { kind: 'lognormal', median_bytes: 4096, sigma: 1, max_bytes: 65_536 },
          content: 'text',
          compression_ratio: 3,
          seed: 3,
          cold: true,
        },
      ],
      cold_files: { method: 'throttle', evict_every_ms: 20, read_bytes_per_s: 1 << 20, read_ops_per_s: null },
      upstreams: {
        through: 'lua',
        groups: [
          { key: 'g', nodes: '{{ nodes }}', server: 'slow', health_check: null },
          { key: 'h', nodes: 3, server: 'slow', health_check: 'interval=3000' },
        ],
        read_interval_ms: 500,
        lock_us_per_node: 12.5,
        trylock: true,
        health_check: '',
      },
    },
    upstream_servers: [
      {
        key: 'sink',
        slot: 'upstream',
        instances: 1,
        workers: 1,
        behaviour: { kind: 'sink', response_bytes: 0 },
        server: '',
        tls: false,
        protocol: 'http',
      },
      {
        key: 'slow',
        slot: 'upstream',
        instances: 40,
        workers: 40,
        behaviour: { kind: 'slow', delay_ms: 100, distribution: 'uniform', spread_ms: 20, response_bytes: 2 },
        server: '',
        tls: false,
        protocol: 'http',
      },
      {
        key: 'own',
        slot: 'other',
        instances: 2,
        workers: 2,
        behaviour: null,
        server: 'return 204;',
        tls: true,
        protocol: 'http',
      },
    ],
    streams: [
      stream('wrk', { script: 'wrk.method = "GET"', headers: { 'X-A': '1' } }),
      { ...stream('wrk', { paths: { pattern: '/big/{n}.bin', count: 10, seed: 4 } }), key: 'many' },
      stream('open-loop', {
        probe: true,
        open_loop: {
          rate_per_s: null,
          steps: [
            { per_s: 10, to_per_s: '{{ top }}', duration_s: 5 },
            { per_s: 100, to_per_s: null, duration_s: 5.5 },
          ],
          capacity: null,
          curve: null,
          replay: null,
          arrivals: 'poisson',
          seed: 7,
        },
      }),
      {
        ...stream('open-loop', {
          open_loop: {
            rate_per_s: null,
            steps: [],
            capacity: {
              goal: {
                p50_ms: null,
                p90_ms: null,
                p99_ms: '{{ bound }}',
                p999_ms: null,
                errors_percent: 0.1,
              },
              from_per_s: 100,
              to_per_s: '{{ most }}',
            },
            curve: null,
            replay: null,
            arrivals: 'constant',
            seed: 1,
          },
        }),
        key: 'search',
      },
      {
        ...stream('open-loop', {
          requests: [
            {
              weight: 2.5,
              method: 'GET',
              path: '/big/{n}.bin',
              count: 10,
              draw: 'zipf',
              exponent: 1.2,
              headers: { 'X-A': '1' },
              body: null,
              body_bytes: null,
            },
          ],
          requests_seed: 3,
          client: {
            read_bytes_per_s: 5000,
            send_bytes_per_s: null,
            abort_percent: 5,
            abort_after_s: '{{ wait }}',
            round_trip_ms: 50,
          },
          open_loop: {
            rate_per_s: 5,
            steps: [],
            capacity: null,
            curve: null,
            replay: null,
            arrivals: 'constant',
            seed: 1,
          },
        }),
        key: 'mixed',
      },
      {
        ...stream('open-loop', {
          open_loop: {
            rate_per_s: null,
            steps: [],
            capacity: null,
            curve: {
              from_per_s: 100,
              to_per_s: '{{ most }}',
              rates: 8,
              spacing: 'factor',
              order: 'ascending',
            },
            replay: null,
            arrivals: 'constant',
            seed: 1,
          },
        }),
        key: 'curve',
      },
      {
        ...stream('open-loop', {
          open_loop: {
            rate_per_s: null,
            steps: [],
            capacity: null,
            curve: null,
            replay: { gaps: 'gBCgD', speed: '{{ speed }}' },
            arrivals: 'constant',
            seed: 1,
          },
        }),
        key: 'replay',
      },
      stream('idle-hold', {
        method: 'HEAD',
        idle_hold: { connect_per_s: 500, think_min_s: 0, think_max_s: 30, seed: 2 },
      }),
    ],
    perturbations: [
      { key: 'a', slot: 'target', when: { kind: 'once', at_s: 1.5 }, action: { kind: 'reload' } },
      { key: 'b', slot: 'upstream', when: every(0.5, null), action: { kind: 'sync' } },
      {
        key: 'c',
        slot: 'target',
        when: { kind: 'once', at_s: '{{ at }}' },
        action: { kind: 'signal', signal: 'STOP', to: 'worker', worker: 2, resume_after_s: 0.5 },
      },
      {
        key: 'd',
        slot: 'target',
        when: every('{{ every }}', 8),
        action: {
          kind: 'http',
          endpoint: 'upstream.own',
          method: 'POST',
          path: '/x',
          body: 'b',
          timeout_s: 3,
        },
      },
      { key: 'e', slot: 'target', when: every(1, 9), action: { kind: 'churn', group: 'g', timeout_s: 4 } },
      { key: 'f', slot: 'target', when: during(2, null), action: { kind: 'cpu-pressure', processes: 3 } },
      {
        key: 'g',
        slot: 'target',
        when: during(0, 4),
        action: { kind: 'disk-pressure', bytes_per_s: 1 << 20 },
      },
    ],
  }) as unknown as Definition;

const every = (every_s: number | string, until_s: number | null) => ({
  kind: 'every',
  every_s,
  from_s: 1,
  until_s,
});
const during = (from_s: number, until_s: number | null) => ({ kind: 'during', from_s, until_s });

const stream = (engine: string, part: object) => ({
  key: engine,
  engine,
  slot: 'generator',
  threads: 2,
  connections: 64,
  protocol: 'http/1.1',
  requests_at_once: 100,
  tls_client: null,
  client: null,
  timeout_s: 30,
  start_offset_s: 0,
  duration_s: null,
  path: '/',
  paths: null,
  requests: [],
  requests_seed: 1,
  method: 'GET',
  headers: {},
  body: null,
  body_bytes: null,
  script: null,
  keep_alive: true,
  probe: false,
  served_statuses: ['2xx', '3xx'],
  rejected_statuses: [429, '5xx'],
  open_loop: null,
  idle_hold: null,
  ...part,
});
