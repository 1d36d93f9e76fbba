import type { Definition, Exclusion, FileSet, Plan, Stream } from '@/api/generated';

/**
 * A definition while it is edited: the same paths as the backend's, but every field is there, numbers may be any
 * text, and names with values are lists, so that two equal names can stand beside each other until one is mended.
 */
export type Scalar = string | number | boolean;
export type NumberText = number | string;

export interface Pair {
  name: string;
  value: Scalar;
}

export interface DraftLevel {
  key: string;
  label: string;
  variables: Pair[];
}

export interface DraftFactor {
  key: string;
  label: string;
  levels: DraftLevel[];
}

export interface DraftArm {
  key: string;
  label: string;
  levels: Record<string, string>;
}

export type DraftExclusion = Required<Exclusion>;
export type DraftDesign =
  | { kind: 'matrix'; exclude: DraftExclusion[]; off: string[] }
  | { kind: 'chosen'; arms: DraftArm[] };

/** Numbers as they are typed. */
type Typed<T> = {
  [K in keyof T]-?: number extends T[K] ? NumberText | Exclude<T[K], undefined> : Required<T>[K];
};

export type DraftFiles = Typed<FileSet>;
export type DraftStream = Omit<Typed<Stream>, 'headers'> & { headers: Pair[] };
export interface DraftBackend {
  key: string;
  slot: string;
  instances: NumberText;
  server: string;
}

export interface DraftNginx {
  workers: NumberText;
  worker_connections: NumberText;
  main: string;
  events: string;
  http: string;
  listen_options: string;
  server: string;
  tls: boolean;
  files: DraftFiles[];
}

export type DraftStop =
  | { kind: 'fixed' }
  | { kind: 'precision'; metric: string; half_width_percent: NumberText; max_blocks: NumberText };
export type DraftPlan = Omit<Typed<Plan>, 'stop'> & { stop: DraftStop };

export type Placement = 'auto' | 'none' | Record<string, string>;

export interface Draft {
  name: string;
  question: string;
  template: Definition['template'];
  factors: DraftFactor[];
  design: DraftDesign;
  baseline: string;
  nginx: DraftNginx;
  backends: DraftBackend[];
  streams: DraftStream[];
  perturbations: NonNullable<Definition['perturbations']>;
  plan: DraftPlan;
  thresholds: string[];
  placement: Placement;
}

export const blankStream = (key: string): DraftStream => ({
  key,
  engine: 'wrk',
  slot: 'generator',
  threads: 1,
  connections: 16,
  timeout_s: 30,
  start_offset_s: 0,
  duration_s: null,
  path: '/',
  method: 'GET',
  headers: [],
  body: null,
  body_bytes: null,
  script: null,
  keep_alive: true,
  probe: false,
  open_loop: null,
  idle_hold: null,
});

export const blankDraft = (): Draft => ({
  name: '',
  question: '',
  template: null,
  factors: [],
  design: { kind: 'matrix', exclude: [], off: [] },
  baseline: 'only',
  nginx: {
    workers: 2,
    worker_connections: 1024,
    main: '',
    events: '',
    http: '',
    listen_options: '',
    server: 'location / {\n    return 200;\n}',
    tls: false,
    files: [],
  },
  backends: [],
  streams: [blankStream('main')],
  perturbations: [],
  plan: {
    blocks: 5,
    warmup_s: 2,
    measure_s: 10,
    cooldown_s: 1,
    interval_ms: 1000,
    stop: { kind: 'fixed' },
  },
  thresholds: [],
  placement: 'auto',
});

const pairs = (record: Record<string, Scalar> = {}): Pair[] =>
  Object.entries(record).map(([name, value]) => ({ name, value }));
const record = (items: readonly Pair[]) => Object.fromEntries(items.map(({ name, value }) => [name, value]));

function draftDesign(design: Definition['design']): DraftDesign {
  if (design?.kind === 'chosen') return { kind: 'chosen', arms: design.arms };
  const exclude = (design?.exclude ?? []).map((item) => ({ when: item.when, reason: item.reason ?? '' }));
  return { kind: 'matrix', exclude, off: design?.off ?? [] };
}

/** A definition of the backend's, ready to be edited. Fields that it leaves out get their defaults. */
export function toDraft(name: string, definition: Definition): Draft {
  const blank = blankDraft();
  return {
    name,
    question: definition.question,
    template: definition.template ?? null,
    factors: definition.factors.map(({ key, label, levels }) => ({
      key,
      label,
      levels: levels.map((level) => ({
        key: level.key,
        label: level.label,
        variables: pairs(level.variables as Record<string, Scalar>), // the generator does not see through the union
      })),
    })),
    design: draftDesign(definition.design),
    baseline: definition.baseline,
    nginx: {
      ...blank.nginx,
      ...definition.nginx,
      files: (definition.nginx.files ?? []).map((files) => ({
        ...files,
        seed: files.seed ?? 1,
        cold: files.cold ?? false,
      })),
    },
    backends: (definition.backends ?? []).map((backend) => ({
      ...backend,
      instances: backend.instances ?? 1,
      server: backend.server ?? '',
    })),
    streams: definition.streams.map(({ headers, ...stream }) => ({
      ...blankStream(stream.key),
      ...stream,
      headers: pairs(headers),
    })),
    perturbations: definition.perturbations ?? [],
    plan: {
      ...blank.plan,
      ...definition.plan,
      stop: definition.plan.stop?.kind === 'precision' ? definition.plan.stop : { kind: 'fixed' },
    },
    thresholds: definition.thresholds ?? [],
    placement: (definition.placement ?? 'auto') as Placement,
  };
}

/** What is sent to the backend: the definition's own shape, with whatever was typed. */
export function toDefinition({ name: _, ...draft }: Draft): Record<string, unknown> {
  return {
    schema_version: 1,
    ...draft,
    factors: draft.factors.map(({ levels, ...factor }) => ({
      ...factor,
      levels: levels.map((level) => ({ ...level, variables: record(level.variables) })),
    })),
    streams: draft.streams.map((stream) => ({ ...stream, headers: record(stream.headers) })),
  };
}

/** The parts that hosts play, in the backend's order: the target, then where streams and backends run. */
export function slotsOf(draft: Pick<Draft, 'streams' | 'backends'>): string[] {
  return [...new Set(['target', ...[...draft.streams, ...draft.backends].map(({ slot }) => slot)])];
}
