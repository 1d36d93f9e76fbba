import type { Capacity, IdleHold, OpenLoop, RateStep, Stream } from '@/api/generated';
import { type Engine, engineOf } from '@/domain/engines';
import { DEFAULTS } from '../../fields/declared';
import { filled, type NumberText, type Pair, type Typed } from './values';

export type DraftStep = Typed<RateStep>;
export type DraftOpenLoop = Typed<OpenLoop>;
export type DraftStream = Omit<Typed<Stream>, 'headers'> & { headers: Pair[] };

const blankSections = () => ({
  open_loop: filled<OpenLoop>('OpenLoop', { rate_per_s: 1000 }),
  idle_hold: filled<IdleHold>('IdleHold', { connect_per_s: 1000, think_max_s: 60 }),
});

/** What serves a request, unless a stream says otherwise. */
const SERVED: DraftStream['served_statuses'] = [...DEFAULTS.Stream.served_statuses];

export const servesUsual = ({ served_statuses }: DraftStream) => String(served_statuses) === String(SERVED);

export const blankStream = (key: string): DraftStream => ({
  ...filled<Stream>('Stream', { key, connections: 16 }),
  headers: [],
});

/** The same stream under another engine: what only the former one knows is dropped, what the new one needs is there. */
export function withEngine(stream: DraftStream, engine: Engine): DraftStream {
  if (stream.engine === engine) return stream;
  const { loop, section, tellsStatuses, speaksHttp2 } = engineOf(engine);
  return {
    ...stream,
    engine,
    script: null,
    paths: null,
    probe: false,
    open_loop: null,
    idle_hold: null,
    ...(tellsStatuses ? {} : { served_statuses: SERVED }),
    ...(speaksHttp2 ? {} : { protocol: 'http/1.1' as const }),
    ...(section ? { [section]: blankSections()[section] } : {}),
    ...(loop === 'hold'
      ? { method: 'HEAD', threads: 1, keep_alive: true, body: null, body_bytes: null }
      : {}),
  };
}

/** Many paths stand instead of the one, and of a script. `files`: what is there to be asked for. */
export function withPaths(
  stream: DraftStream,
  wanted: boolean,
  files: readonly { folder: string; count: NumberText }[],
): DraftStream {
  if (!wanted) return { ...stream, paths: null };
  const { folder, count } = files[0] ?? { folder: '', count: 1000 };
  const paths = { ...DEFAULTS.PathChoice, pattern: folder ? `/${folder}/{n}` : '/{n}', count };
  return { ...stream, path: '/', script: null, paths };
}

/** How an open loop comes by its rates. */
export type Rates = 'constant' | 'steps' | 'search';

export const ratesOf = ({ steps, capacity }: DraftOpenLoop): Rates =>
  capacity ? 'search' : steps.length > 0 ? 'steps' : 'constant';

/** One rate, steps that begin with it, or a search from it on. */
export function withRates(part: DraftOpenLoop, wanted: Rates): DraftOpenLoop {
  if (wanted === ratesOf(part)) return part;
  const rate = part.rate_per_s ?? part.steps[0]?.per_s ?? part.capacity?.from_per_s ?? 1000;
  const none = { ...part, rate_per_s: null, steps: [], capacity: null };
  if (wanted === 'constant') return { ...none, rate_per_s: rate };
  return wanted === 'steps' ? { ...none, steps: [nextStep(rate)] } : { ...none, capacity: searchFrom(rate) };
}

const searchFrom = (rate: NumberText) =>
  filled<Capacity>('Capacity', {
    goal: { p99_ms: 50, errors_percent: 0.1 },
    from_per_s: rate,
    to_per_s: typeof rate === 'number' ? 20 * rate : 20_000,
  });

export const nextStep = (per_s: NumberText): DraftStep => ({ per_s, to_per_s: null, duration_s: 10 });
