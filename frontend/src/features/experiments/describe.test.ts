import { describe, expect, it } from 'vitest';
import { plain } from '@/test/plain';
import { describePerturbation, describeStream, describeUpstreamServer } from './describe';

describe('a definition in words', () => {
  it('tells each engine by what it is told', () => {
    expect(plain(describeStream({ key: 'main', connections: 100, threads: 2 }, false))).toBe(
      'wrk, 2 threads, 100 connections kept alive, GET /, timeout 30 s',
    );
    const open = { rate_per_s: '{{ rate }}', arrivals: 'poisson' as const };
    expect(
      describeStream({ key: 'p', engine: 'open-loop', connections: 4, probe: true, open_loop: open }, true),
    ).toContain(
      'p on generator (probe): open loop, {{ rate }} requests/s, Poisson arrivals, over 4 connections',
    );
    const steps = [
      { per_s: 10, to_per_s: 100, duration_s: 5 },
      { per_s: 50, duration_s: 2 },
    ];
    expect(
      describeStream({ key: 'p', engine: 'open-loop', connections: 4, open_loop: { steps } }, false),
    ).toContain('requests/s 10 to 100 for 5 s, 50 for 2 s; evenly spaced');
    const goal = { p99_ms: 50, errors_percent: 0.1 };
    const capacity = { goal, from_per_s: 500, to_per_s: 20_000 };
    expect(
      describeStream({ key: 'p', engine: 'open-loop', connections: 4, open_loop: { capacity } }, false),
    ).toContain(
      'open loop, the highest rate of 500 to 20,000 requests/s at p99 ≤ 50 ms, errors ≤ 0.1 %, over 4 connections',
    );
    const replay = { gaps: 'gBCgD', speed: 3 };
    expect(
      describeStream({ key: 'p', engine: 'open-loop', connections: 4, open_loop: { replay } }, false),
    ).toContain('open loop, 3 requests as they came in a log, 3 times as fast, over 4 connections');
    const idle = { connect_per_s: 500, think_max_s: 60 };
    expect(
      describeStream(
        { key: 'i', engine: 'idle-hold', connections: 1, method: 'HEAD', idle_hold: idle },
        false,
      ),
    ).toContain('1 connection held, opened at 500 per s, a request after 1 to 60 s each, HEAD /');
  });

  it('tells what clients bring to TLS', () => {
    const open_loop = { rate_per_s: 10 };
    const tls_client = { resumed_percent: 50, version: '1.3' as const, group: 'x25519' as const };
    expect(
      plain(describeStream({ key: 'c', engine: 'open-loop', connections: 4, open_loop, tls_client }, false)),
    ).toContain(', 50 % of handshakes resumed, TLS 1.3, X25519, GET /');
  });

  it('tells how clients behave', () => {
    const open_loop = { rate_per_s: 10 };
    const client = {
      read_bytes_per_s: 100_000,
      abort_percent: '{{ gone }}',
      abort_after_s: 2,
      round_trip_ms: 50,
    };
    expect(
      plain(describeStream({ key: 'c', engine: 'open-loop', connections: 4, open_loop, client }, false)),
    ).toContain(', round trips of 50 ms, clients read 100,000 B/s, {{ gone }} % go away after 2 s, GET /');
  });

  it('tells what upstream_servers do', () => {
    expect(
      describeUpstreamServer({
        key: 'a',
        slot: 'b',
        instances: 40,
        behaviour: { kind: 'slow', delay_ms: 100 },
      }),
    ).toBe('a × 40: answers after 100 ms');
    expect(describeUpstreamServer({ key: 'a', slot: 'b' })).toBe('a × 1');
    expect(describeUpstreamServer({ key: 'a', slot: 'b', behaviour: { kind: 'echo', delay_ms: 5 } })).toBe(
      'a × 1: sends WebSocket messages back after 5 ms',
    );
    expect(describeUpstreamServer({ key: 'a', slot: 'b', tls: true })).toBe('a × 1, by TLS');
  });

  it('tells what is done, and when', () => {
    const when = { kind: 'every' as const, every_s: 1, from_s: 10, until_s: 70 };
    expect(describePerturbation({ key: 'c', when, action: { kind: 'churn', group: 'app' } })).toBe(
      'c: churn of app every 1 s from 10 s to 70 s',
    );
    expect(
      describePerturbation({ key: 'reload', when: { kind: 'once', at_s: 3 }, action: { kind: 'reload' } }),
    ).toBe('reload at 3 s');
  });
});
