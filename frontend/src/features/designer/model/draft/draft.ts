import type { Definition, Exclusion, Plan } from '@/api/generated';
import { thresholdText } from '@/domain/thresholds';
import { DEFAULTS } from '../../fields/declared';
import { type DraftPerturbation, toDraftPerturbation } from './perturbationDraft';
import {
  blankNginx,
  type DraftNginx,
  type DraftUpstreamServer,
  toDraftNginx,
  toDraftUpstreamServer,
} from './serverDraft';
import { blankStream, type DraftStream, statusesOf, toDraftStream } from './streamDraft';
import type { NumberText, Pair, Scalar, Typed } from './values';

export interface DraftLevel {
  key: string;
  label: string;
  variables: Pair[];
  /** The nginx that its arms run; null where the level says nothing about it. */
  build: string | null;
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

export type DraftStop =
  | { kind: 'fixed' }
  | { kind: 'precision'; metric: string; half_width_percent: NumberText; max_blocks: NumberText };
export type DraftPlan = Omit<Typed<Plan>, 'stop'> & { stop: DraftStop };

export type Placement = 'auto' | 'none' | Record<string, string>;

/**
 * A definition while it is edited: the same paths as the backend's, but every field is there, numbers may be any
 * text, and names with values are lists, so that two equal names can stand beside each other until one is renamed.
 */
export interface Draft {
  name: string;
  question: string;
  template: Definition['template'];
  factors: DraftFactor[];
  design: DraftDesign;
  baseline: string;
  nginx: DraftNginx;
  upstream_servers: DraftUpstreamServer[];
  streams: DraftStream[];
  perturbations: DraftPerturbation[];
  plan: DraftPlan;
  thresholds: string[];
  placement: Placement;
}

export const blankDraft = (): Draft => ({
  name: '',
  question: '',
  template: null,
  factors: [],
  design: { kind: 'matrix', exclude: [], off: [] },
  baseline: 'only',
  nginx: blankNginx(),
  upstream_servers: [],
  streams: [blankStream('main')],
  perturbations: [],
  plan: {
    ...DEFAULTS.Plan,
    blocks: 5,
    warmup_s: 2,
    measure_s: 10,
    primary: [],
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
        build: level.build ?? null,
      })),
    })),
    design: draftDesign(definition.design),
    baseline: definition.baseline,
    nginx: toDraftNginx(definition.nginx),
    upstream_servers: (definition.upstream_servers ?? []).map(toDraftUpstreamServer),
    streams: definition.streams.map((stream) => toDraftStream(stream, pairs(stream.headers))),
    perturbations: (definition.perturbations ?? []).map(toDraftPerturbation),
    plan: {
      ...blank.plan,
      ...definition.plan,
      stop: definition.plan.stop?.kind === 'precision' ? definition.plan.stop : { kind: 'fixed' },
    },
    thresholds: (definition.thresholds ?? []).map(thresholdText),
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
    streams: draft.streams.map((stream) => ({
      ...stream,
      headers: record(stream.headers),
      served_statuses: statusesOf(stream.served_statuses),
      rejected_statuses: statusesOf(stream.rejected_statuses),
    })),
  };
}
