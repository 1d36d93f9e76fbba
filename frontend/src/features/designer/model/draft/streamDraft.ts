import type { IdleHold, OpenLoop, PathChoice, Stream } from '@/api/generated';
import { type Engine, engineOf } from '@/domain/engines';
import { DEFAULTS } from '../../fields/declared';
import type { NumberText, Pair, Typed } from './values';

type Step = NonNullable<OpenLoop['steps']>[number];
export type DraftStep = Typed<Step>;
export type DraftOpenLoop = Omit<Typed<OpenLoop>, 'steps'> & { steps: DraftStep[] };
export type DraftIdleHold = Typed<IdleHold>;
export type DraftPaths = Typed<PathChoice>;

type OwnForm = 'headers' | 'paths' | 'open_loop' | 'idle_hold' | 'served_statuses' | 'rejected_statuses';

export type DraftStream = Omit<Typed<Stream>, OwnForm> & {
  headers: Pair[];
  served_statuses: string[];
  rejected_statuses: string[];
  paths: DraftPaths | null;
  open_loop: DraftOpenLoop | null;
  idle_hold: DraftIdleHold | null;
};

const BLANK_OPEN_LOOP: DraftOpenLoop = { ...DEFAULTS.OpenLoop, rate_per_s: 1000, steps: [] };
const BLANK_IDLE_HOLD: DraftIdleHold = { ...DEFAULTS.IdleHold, connect_per_s: 1000, think_max_s: 60 };
const BLANK_SECTIONS = { open_loop: BLANK_OPEN_LOOP, idle_hold: BLANK_IDLE_HOLD };
/** What serves a request, unless a stream says otherwise. */
export const SERVED: readonly string[] = ['2xx', '3xx'];
const BLANK_PATHS: DraftPaths = { ...DEFAULTS.PathChoice, pattern: '/{n}', count: 1000 };

export const blankStream = (key: string): DraftStream => ({
  ...DEFAULTS.Stream,
  key,
  connections: 16,
  headers: [],
  served_statuses: [...SERVED],
  rejected_statuses: [],
});

export function toDraftStream(
  { headers, paths, open_loop, idle_hold, served_statuses, rejected_statuses, ...stream }: Stream,
  pairs: Pair[],
): DraftStream {
  return {
    ...blankStream(stream.key),
    ...stream,
    headers: pairs,
    served_statuses: (served_statuses ?? SERVED).map(String),
    rejected_statuses: (rejected_statuses ?? []).map(String),
    paths: paths ? { ...BLANK_PATHS, ...paths } : null,
    open_loop: open_loop ? toDraftOpenLoop(open_loop) : null,
    idle_hold: idle_hold ? { ...BLANK_IDLE_HOLD, ...idle_hold } : null,
  };
}

const toDraftOpenLoop = ({ rate_per_s = null, steps = [], ...openLoop }: OpenLoop): DraftOpenLoop => ({
  ...BLANK_OPEN_LOOP,
  ...openLoop,
  rate_per_s,
  steps: steps.map(({ to_per_s = null, ...step }) => ({ ...step, to_per_s })),
});

/** Statuses as a definition has them: 429 is a number, 5xx is a word. */
export const statusesOf = (typed: readonly string[]) =>
  typed.map((status) => (/^\d+$/.test(status) ? Number(status) : status));

/** The same stream under another engine: what only the former one knows is dropped, what the new one needs is there. */
export function withEngine(stream: DraftStream, engine: Engine): DraftStream {
  if (stream.engine === engine) return stream;
  const { loop, section, tellsStatuses } = engineOf(engine);
  return {
    ...stream,
    engine,
    script: null,
    paths: null,
    probe: false,
    open_loop: null,
    idle_hold: null,
    ...(tellsStatuses ? {} : { served_statuses: [...SERVED] }),
    ...(section ? { [section]: BLANK_SECTIONS[section] } : {}),
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
  const [first] = files;
  const paths = first ? { ...BLANK_PATHS, pattern: `/${first.folder}/{n}`, count: first.count } : BLANK_PATHS;
  return { ...stream, path: '/', script: null, paths };
}

/** Either one rate, or steps that begin with it. */
export function withSteps(part: DraftOpenLoop, wanted: boolean): DraftOpenLoop {
  if (wanted === part.steps.length > 0) return part;
  const rate = part.rate_per_s ?? part.steps[0]?.per_s ?? 1000;
  return wanted
    ? { ...part, rate_per_s: null, steps: [nextStep(rate)] }
    : { ...part, rate_per_s: rate, steps: [] };
}

export const nextStep = (per_s: NumberText): DraftStep => ({ per_s, to_per_s: null, duration_s: 10 });
