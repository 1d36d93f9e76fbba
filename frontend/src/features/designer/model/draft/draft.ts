import type { ArmDefinition, Definition, Exclusion, Factor, Level, Plan } from '@/api/generated';
import { thresholdText } from '@/domain/thresholds';
import { BLANK_NGINX } from './serverDraft';
import { blankStream, type DraftStream } from './streamDraft';
import { filled, type Pair, type Scalar, type Typed } from './values';

export type DraftLevel = Omit<Typed<Level>, 'variables'> & { variables: Pair[] };
export type DraftFactor = Omit<Factor, 'levels'> & { levels: DraftLevel[] };
export type DraftArm = ArmDefinition;
export type DraftExclusion = Typed<Exclusion>;
export type DraftStop = Typed<Plan>['stop'];
export type Placement = 'auto' | 'none' | Record<string, string>;

type OwnForm = 'schema_version' | 'factors' | 'streams' | 'thresholds' | 'placement';

/**
 * A definition while it is edited: the same paths as the backend's, but every field is there, numbers may be any
 * text, and names with values are lists, so that two equal names can stand beside each other until one is renamed.
 */
export type Draft = Omit<Typed<Definition>, OwnForm> & {
  name: string;
  factors: DraftFactor[];
  streams: DraftStream[];
  thresholds: string[];
  placement: Placement;
};
export type DraftDesign = Draft['design'];

export const blankDraft = (): Draft => ({
  ...toDraft('', {
    question: '',
    factors: [],
    baseline: 'only',
    nginx: BLANK_NGINX,
    streams: [],
    plan: { blocks: 5, warmup_s: 2, measure_s: 10 },
  }),
  streams: [blankStream('main')],
});

const pairs = (record: Record<string, unknown>): Pair[] =>
  Object.entries(record).map(([name, value]) => ({ name, value: value as Scalar }));
const record = (items: readonly Pair[]) => Object.fromEntries(items.map(({ name, value }) => [name, value]));

const withPairs = <T extends { headers: Record<string, unknown> }>(one: T) => ({
  ...one,
  headers: pairs(one.headers),
});
const withRecord = <T extends { headers: readonly Pair[] }>(one: T) => ({
  ...one,
  headers: record(one.headers),
});

/** A definition of the backend's, ready to be edited. Fields that it leaves out get their defaults. */
export function toDraft(name: string, definition: Definition): Draft {
  const { schema_version: _, ...whole } = filled<Definition>('Definition', definition);
  return {
    ...whole,
    name,
    factors: whole.factors.map(({ levels, ...factor }) => ({
      ...factor,
      levels: levels.map((level) => ({ ...level, variables: pairs(level.variables) })),
    })),
    streams: whole.streams.map((stream) => ({
      ...withPairs(stream),
      requests: stream.requests.map(withPairs),
    })),
    thresholds: (definition.thresholds ?? []).map(thresholdText),
    placement: whole.placement as Placement,
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
      ...withRecord(stream),
      requests: stream.requests.map(withRecord),
    })),
  };
}
