import { plural, t } from '@lingui/core/macro';
import type { Capacity, Curve, Goal, Perturbation, Replay, Stream, UpstreamServer } from '@/api/generated';
import { DEFAULT_ENGINE, type Engine } from '@/domain/engines';
import { instantsOf } from '@/domain/mix/arrivals';
import { formatDuration, formatNumber } from '@/lib/format';

/** A definition's parts, a line each. A value that depends on the arm is an expression, shown as it is. */
type Value = number | string | null | undefined;

export const shown = (value: Value) => (typeof value === 'number' ? formatNumber(value) : (value ?? ''));

function threadsOf(value: Value): string {
  const count = shown(value);
  return value === 1 ? t`${count} thread` : t`${count} threads`;
}

function connectionsOf(value: Value): string {
  const count = shown(value);
  return value === 1 ? t`${count} connection` : t`${count} connections`;
}

type Step = NonNullable<NonNullable<Stream['open_loop']>['steps']>[number];

function describeStep({ per_s, to_per_s, duration_s }: Step): string {
  const [from, to, seconds] = [shown(per_s), shown(to_per_s), shown(duration_s)];
  return to_per_s == null ? t`${from} for ${seconds} s` : t`${from} to ${to} for ${seconds} s`;
}

function rate({ open_loop }: Stream): string {
  const steps = open_loop?.steps ?? [];
  const spaced = open_loop?.arrivals === 'poisson' ? t`Poisson arrivals` : t`evenly spaced`;
  const constant = shown(open_loop?.rate_per_s);
  if (open_loop?.capacity) return searched(open_loop.capacity);
  if (open_loop?.curve) return curved(open_loop.curve);
  if (open_loop?.replay) return replayed(open_loop.replay);
  if (steps.length === 0) return t`${constant} requests/s, ${spaced}`;
  const ramps = steps.map(describeStep).reduce((before, next) => t`${before}, ${next}`);
  return t`requests/s ${ramps}; ${spaced}`;
}

/** `the highest rate of 500 to 20,000 requests/s at p99 ≤ 50 ms, errors ≤ 0.1 %`. */
function searched({ goal, from_per_s, to_per_s }: Capacity): string {
  const [least, most, bounds] = [shown(from_per_s), shown(to_per_s), goalOf(goal)];
  return t`the highest rate of ${least} to ${most} requests/s at ${bounds}`;
}

/** `10 rates from 500 to 5,000 requests/s`. */
function curved(curve: Curve): string {
  const { from_per_s, to_per_s, rates = 10 } = curve;
  if (curve.connections?.length) {
    const numbers = curve.connections.map((one) => shown(one)).join(', ');
    return t`as fast as answered, with ${numbers} connections in turn`;
  }
  if (curve.rates_per_s?.length) {
    const listed = curve.rates_per_s.map((one) => shown(one)).join(', ');
    return t`${listed} requests/s in turn`;
  }
  if (curve.percents?.length) {
    const [percents, whole] = [curve.percents.map((one) => shown(one)).join(', '), shown(curve.of_per_s)];
    return t`${percents} % of ${whole} requests/s in turn`;
  }
  const [least, most, count] = [shown(from_per_s), shown(to_per_s), shown(rates)];
  return t`${count} rates from ${least} to ${most} requests/s`;
}

/** `10,000 requests as they came in a log, 3 times as fast`. */
function replayed({ gaps, speed = 1 }: Replay): string {
  const [count, times] = [shown(instantsOf(gaps).length - 1), shown(speed)];
  return speed === 1
    ? t`${count} requests as they came in a log`
    : t`${count} requests as they came in a log, ${times} times as fast`;
}

function goalOf({ p50_ms, p90_ms, p99_ms, p999_ms, errors_percent }: Goal): string {
  const latencies = [
    [t`median`, p50_ms],
    ['p90', p90_ms],
    ['p99', p99_ms],
    ['p99.9', p999_ms],
  ] as const;
  const bounds = latencies.flatMap(([name, bound]) =>
    bound == null ? [] : [`${name} ≤ ${shown(bound)} ms`],
  );
  const errors = shown(errors_percent);
  return [...bounds, ...(errors === '' ? [] : [t`errors ≤ ${errors} %`])].join(', ');
}

function kept({ connections, keep_alive = true }: Stream): string {
  const all = connectionsOf(connections);
  return keep_alive ? t`${all} kept alive` : t`${all} closed after each response`;
}

function held({ connections, idle_hold }: Stream): string {
  const all = connectionsOf(connections);
  const opened = shown(idle_hold?.connect_per_s);
  const [least, most] = [shown(idle_hold?.think_min_s ?? 1), shown(idle_hold?.think_max_s)];
  return t`${all} held, opened at ${opened} per s, a request after ${least} to ${most} s each`;
}

function wrk(stream: Stream): string {
  const [threads, connections] = [threadsOf(stream.threads ?? 1), kept(stream)];
  return t`wrk, ${threads}, ${connections}`;
}

function openLoop(stream: Stream): string {
  const [requests, connections] = [rate(stream), kept(stream)];
  return t`open loop, ${requests}, over ${connections}`;
}

const LOADS: Record<Engine, (stream: Stream) => string> = {
  wrk,
  'open-loop': openLoop,
  'idle-hold': held,
};

/** With what it speaks, where that is not HTTP/1.1. */
function withProtocol(load: string, { protocol = 'http/1.1', requests_at_once = 100 }: Stream): string {
  if (protocol === 'http/1.1') return load;
  const [version, most] = [protocol.replace('http/', 'HTTP/'), shown(requests_at_once)];
  return t`${load}, ${version} with up to ${most} requests at once on each`;
}

/** With what its clients bring to TLS, where that is said. */
function withTls(load: string, { tls_client }: Stream): string {
  if (!tls_client) return load;
  const {
    resumed_percent,
    early_data_percent = 0,
    sessions,
    version,
    group,
    cipher,
    server_name,
  } = tls_client;
  const [percent, early] = [shown(resumed_percent ?? 0), shown(early_data_percent)];
  const said = [version === 'any' ? '' : version && `TLS ${version}`, ...[group, cipher].map(nameOf)];
  const sent = early_data_percent !== 0 && t`early data in ${early} % of these`;
  const brought = [sent, ...said, sessions === 'ids' ? t`sessions by ids` : '', server_name].filter(Boolean);
  return [t`${load}, ${percent} % of handshakes resumed`, ...brought].join(', ');
}

/** With what its connections carry, where that is not requests. */
function withMessages(load: string, { websocket }: Stream): string {
  if (!websocket) return load;
  const size = shown(websocket.message_bytes ?? 64);
  return t`${load}, WebSocket messages of ${size} B`;
}

/** With how its clients behave, where that is said. */
function withClients(load: string, { client }: Stream): string {
  if (!client) return load;
  const { read_bytes_per_s, send_bytes_per_s, abort_percent = 0, abort_after_s, round_trip_ms = 0 } = client;
  const [reads, sends] = [shown(read_bytes_per_s), shown(send_bytes_per_s)];
  const [percent, seconds, trip] = [shown(abort_percent), shown(abort_after_s ?? 0), shown(round_trip_ms)];
  const said = [
    round_trip_ms !== 0 && t`round trips of ${trip} ms`,
    reads && t`clients read ${reads} B/s`,
    sends && t`clients send ${sends} B/s`,
    abort_percent !== 0 && t`${percent} % go away after ${seconds} s`,
  ];
  return [load, ...said.filter(Boolean)].join(', ');
}

const nameOf = (word: string | undefined) => (word === 'any' ? '' : word?.toUpperCase());

function requestOf({ method = 'GET', path = '/', paths, requests = [] }: Stream): string {
  if (requests.length > 0)
    return plural(requests.length, { one: 'a mix of # request', other: 'a mix of # requests' });
  if (!paths) return `${method} ${path}`;
  const [pattern, count] = [paths.pattern, shown(paths.count)];
  const request = `${method} ${pattern}`;
  return t`${request} with n below ${count}`;
}

/** "main on generator: wrk, 2 threads, 100 connections kept alive, GET /, timeout 30 s". */
export function describeStream(stream: Stream, named: boolean): string {
  const { key, slot = 'generator', timeout_s = 30, probe } = stream;
  const spoken = withProtocol(LOADS[stream.engine ?? DEFAULT_ENGINE](stream), stream);
  const load = withClients(withTls(withMessages(spoken, stream), stream), stream);
  const [request, timeout] = [requestOf(stream), formatDuration(timeout_s)];
  const text = t`${load}, ${request}, timeout ${timeout}`;
  if (!named) return text;
  return probe ? t`${key} on ${slot} (probe): ${text}` : t`${key} on ${slot}: ${text}`;
}

/** "app × 40: answers after 100 ms". */
export function describeUpstreamServer({ key, instances = 1, tls, behaviour }: UpstreamServer): string {
  const instancesOf = `${key} × ${instances}`;
  const name = tls ? t`${instancesOf}, by TLS` : instancesOf;
  if (behaviour?.kind === 'sink') return t`${name}: reads bodies`;
  if (behaviour?.kind === 'echo') {
    const kept = shown(behaviour.delay_ms ?? 0);
    return t`${name}: sends WebSocket messages back after ${kept} ms`;
  }
  if (behaviour?.kind !== 'slow') return name;
  const [delay, spread] = [shown(behaviour.delay_ms), shown(behaviour.spread_ms)];
  switch (behaviour.distribution ?? 'constant') {
    case 'constant':
      return t`${name}: answers after ${delay} ms`;
    case 'exponential':
      return t`${name}: answers after ${delay} ms, exponential`;
    case 'uniform':
      return t`${name}: answers after ${delay} ms ± ${spread} ms`;
  }
}

function describeWhen(when: Perturbation['when']): string {
  if (when.kind === 'once') {
    const at = shown(when.at_s);
    return t`at ${at} s`;
  }
  const [from, until] = [shown(when.from_s ?? 0), shown(when.until_s)];
  const span = when.until_s == null ? t`from ${from} s to the end` : t`from ${from} s to ${until} s`;
  if (when.kind !== 'every') return span;
  const every = shown(when.every_s);
  return t`every ${every} s ${span}`;
}

function describeAction(action: Perturbation['action']): string {
  switch (action.kind) {
    case 'churn': {
      const { group } = action;
      return t`churn of ${group}`;
    }
    case 'signal': {
      const { signal, to = 'workers' } = action;
      return t`${signal} to ${to}`;
    }
    case 'http': {
      const { method = 'GET', path = '/', endpoint } = action;
      const place = endpoint ?? 'target';
      return t`${method} ${path} to ${place}`;
    }
    default:
      return action.kind.replace('-', ' ');
  }
}

/** "churn: churn of app every 1 s from 10 s to 70 s". */
export function describePerturbation({ key, action, when }: Perturbation): string {
  const [what, time] = [describeAction(action), describeWhen(when)];
  return key === what ? t`${what} ${time}` : t`${key}: ${what} ${time}`;
}
