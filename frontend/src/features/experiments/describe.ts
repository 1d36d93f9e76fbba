import type { Perturbation, Stream, UpstreamServer } from '@/api/generated';
import { DEFAULT_ENGINE, type Engine } from '@/domain/engines';
import { formatDuration, formatNumber } from '@/lib/format';

/** A definition's parts, a line each. A value that depends on the arm is an expression, shown as it is. */
type Value = number | string | null | undefined;

export const shown = (value: Value) => (typeof value === 'number' ? formatNumber(value) : (value ?? ''));
const counted = (value: Value, noun: string) => `${shown(value)} ${noun}${value === 1 ? '' : 's'}`;

function rate({ open_loop }: Stream): string {
  const steps = open_loop?.steps ?? [];
  const spaced = open_loop?.arrivals === 'poisson' ? 'Poisson arrivals' : 'evenly spaced';
  if (steps.length === 0) return `${shown(open_loop?.rate_per_s)} requests/s, ${spaced}`;
  const parts = steps.map(({ per_s, to_per_s, duration_s }) => {
    const ramp = to_per_s == null ? shown(per_s) : `${shown(per_s)} to ${shown(to_per_s)}`;
    return `${ramp} for ${shown(duration_s)} s`;
  });
  return `requests/s ${parts.join(', ')}; ${spaced}`;
}

const kept = ({ connections, keep_alive = true }: Stream) =>
  `${counted(connections, 'connection')} ${keep_alive ? 'kept alive' : 'closed after each response'}`;

function held({ connections, idle_hold }: Stream): string {
  const pause = `${shown(idle_hold?.think_min_s ?? 1)} to ${shown(idle_hold?.think_max_s)} s`;
  return `${counted(connections, 'connection')} held, opened at ${shown(idle_hold?.connect_per_s)} per s, a request after ${pause} each`;
}

const LOADS: Record<Engine, (stream: Stream) => string> = {
  wrk: (stream) => `wrk, ${counted(stream.threads ?? 1, 'thread')}, ${kept(stream)}`,
  'open-loop': (stream) => `open loop, ${rate(stream)}, over ${kept(stream)}`,
  'idle-hold': held,
};

/** "main on generator: wrk, 2 threads, 100 connections kept alive, GET /, timeout 30 s". */
export function describeStream(stream: Stream, named: boolean): string {
  const { key, slot = 'generator', method = 'GET', path = '/', paths, timeout_s = 30, probe } = stream;
  const name = named ? `${key} on ${slot}${probe ? ' (probe)' : ''}: ` : '';
  const asked = paths ? `${paths.pattern} with n below ${shown(paths.count)}` : path;
  return `${name}${LOADS[stream.engine ?? DEFAULT_ENGINE](stream)}, ${method} ${asked}, timeout ${formatDuration(timeout_s)}`;
}

/** "app × 40: answers after 100 ms". */
export function describeUpstreamServer({ key, instances = 1, tls, behaviour }: UpstreamServer): string {
  const name = `${key} × ${instances}${tls ? ', by TLS' : ''}`;
  if (behaviour?.kind === 'sink') return `${name}: reads bodies`;
  if (behaviour?.kind === 'slow') {
    const spread = {
      constant: '',
      exponential: ', exponential',
      uniform: ` ± ${shown(behaviour.spread_ms)} ms`,
    };
    return `${name}: answers after ${shown(behaviour.delay_ms)} ms${spread[behaviour.distribution ?? 'constant']}`;
  }
  return name;
}

function describeWhen(when: Perturbation['when']): string {
  if (when.kind === 'once') return `at ${shown(when.at_s)} s`;
  const until = when.until_s == null ? 'to the end' : `to ${shown(when.until_s)} s`;
  const span = `from ${shown(when.from_s ?? 0)} s ${until}`;
  return when.kind === 'every' ? `every ${shown(when.every_s)} s ${span}` : span;
}

/** "churn: churn of app every 1 s from 10 s to 70 s". */
export function describePerturbation({ key, action, when }: Perturbation): string {
  const what =
    action.kind === 'churn'
      ? `churn of ${action.group}`
      : action.kind === 'signal'
        ? `${action.signal} to ${action.to ?? 'workers'}`
        : action.kind === 'http'
          ? `${action.method ?? 'GET'} ${action.path ?? '/'} to ${action.endpoint ?? 'target'}`
          : action.kind.replace('-', ' ');
  return `${key === what ? what : `${key}: ${what}`} ${describeWhen(when)}`;
}
