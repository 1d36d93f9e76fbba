/**
 * Changes of factors and levels. Whatever names them elsewhere follows: cells switched off, exclusions, chosen arms,
 * the baseline and thresholds of single arms.
 */
import { t } from '@lingui/core/macro';
import type { Draft, DraftArm, DraftDesign, DraftExclusion, DraftFactor, DraftLevel } from './draft/draft';
import { slug, uniqueKey } from './draft/values';
import { cellsOf, combinations, keyOf, labelOf } from './matrix';
import { moved } from './paths';

/** Where each factor, and each of its levels, stood before; null for a new one. */
interface Trace {
  factors: (number | null)[];
  levels: (number | null)[][];
}

const places = (items: readonly unknown[]) => items.map((_, index) => index);

function unchanged(factors: readonly DraftFactor[]): Trace {
  return { factors: places(factors), levels: factors.map((factor) => places(factor.levels)) };
}

/** The former combinations that a combination stems from: none for a new level, several for a removed factor. */
function originsOf(combination: readonly number[], before: readonly DraftFactor[], trace: Trace): number[][] {
  return before.reduce<number[][]>(
    (found, factor, index) => {
      const now = trace.factors.indexOf(index);
      const level = trace.levels[now]?.[combination[now] ?? -1];
      const levels = now === -1 ? places(factor.levels) : level == null ? [] : [level];
      return found.flatMap((head) => levels.map((item) => [...head, item]));
    },
    [[]],
  );
}

interface Renaming {
  /** Former key of an arm -> the first arm that stems from it. */
  keys: Map<string, { key: string; label: string }>;
  off: string[];
}

function renaming(before: Draft, after: readonly DraftFactor[], trace: Trace): Renaming {
  const wasOff = new Set(before.design.kind === 'matrix' ? before.design.off : []);
  const found: Renaming = { keys: new Map(), off: [] };
  for (const combination of combinations(after)) {
    const key = keyOf(after, combination);
    const origins = originsOf(combination, before.factors, trace).map((origin) =>
      keyOf(before.factors, origin),
    );
    if (origins.length > 0 && origins.every((origin) => wasOff.has(origin))) found.off.push(key);
    for (const origin of origins)
      if (!found.keys.has(origin)) found.keys.set(origin, { key, label: labelOf(after, combination) });
  }
  return found;
}

/** The keys that factor and level have now; null where one is gone. */
function follow(
  factor: string,
  level: string,
  before: readonly DraftFactor[],
  after: readonly DraftFactor[],
  trace: Trace,
) {
  const index = before.findIndex(({ key }) => key === factor);
  if (index === -1) return { factor, level };
  const now = trace.factors.indexOf(index);
  const place = before[index]?.levels.findIndex(({ key }) => key === level) ?? -1;
  const levelNow = place === -1 ? -1 : (trace.levels[now]?.indexOf(place) ?? -1);
  const factorKey = after[now]?.key ?? null;
  return { factor: factorKey, level: place === -1 ? level : (after[now]?.levels[levelNow]?.key ?? null) };
}

type Follow = (factor: string, level: string) => ReturnType<typeof follow>;

/** An exclusion of a factor or of all levels that are gone would exclude more than was meant, so it goes, too. */
function exclusionAfter(exclusion: DraftExclusion, followed: Follow): DraftExclusion | null {
  const when: Record<string, string[]> = {};
  for (const [factor, levels] of Object.entries(exclusion.when)) {
    const now = levels.map((level) => followed(factor, level));
    const name = now[0]?.factor;
    const kept = now.flatMap(({ level }) => level ?? []);
    if (name == null || kept.length === 0) return null;
    when[name] = kept;
  }
  return { ...exclusion, when };
}

function armAfter(
  arm: DraftArm,
  added: readonly DraftFactor[],
  followed: Follow,
  names: Renaming,
): DraftArm | null {
  const levels: Record<string, string> = {};
  for (const [factor, level] of Object.entries(arm.levels)) {
    const now = followed(factor, level);
    if (now.factor === null) continue;
    if (now.level === null) return null;
    levels[now.factor] = now.level;
  }
  for (const factor of added) levels[factor.key] = factor.levels[0]?.key ?? '';
  return { levels, key: names.keys.get(arm.key)?.key ?? arm.key, label: arm.label };
}

function designAfter(
  before: Draft,
  after: readonly DraftFactor[],
  trace: Trace,
  names: Renaming,
): DraftDesign {
  const { design } = before;
  const followed: Follow = (factor, level) => follow(factor, level, before.factors, after, trace);
  if (design.kind === 'matrix') {
    const exclude = design.exclude.flatMap((exclusion) => exclusionAfter(exclusion, followed) ?? []);
    return { kind: 'matrix', exclude, off: names.off };
  }
  const added = after.filter((_, index) => trace.factors[index] === null);
  return { kind: 'chosen', arms: design.arms.flatMap((arm) => armAfter(arm, added, followed, names) ?? []) };
}

const ARM_OF_THRESHOLD = /^(.*\sfor\s+)(\S+)(\s*)$/;

function withFactors(before: Draft, factors: DraftFactor[], trace: Trace): Draft {
  const names = renaming(before, factors, trace);
  const design = designAfter(before, factors, trace, names);
  const running = cellsOf({ factors, design }).filter((cell) => cell.state === 'on');
  const known = cellsOf(before).some((cell) => cell.key === before.baseline);
  const baseline = names.keys.get(before.baseline)?.key ?? (known ? running[0]?.key : undefined);
  const thresholds = before.thresholds.map((text) =>
    text.replace(ARM_OF_THRESHOLD, (_, head, arm, tail) => head + (names.keys.get(arm)?.key ?? arm) + tail),
  );
  return { ...before, factors, design, thresholds, baseline: baseline ?? before.baseline };
}

const replaced = <T>(items: readonly T[], index: number, item: T) =>
  items.map((old, place) => (place === index ? item : old));
const without = <T>(items: readonly T[], index: number) => items.filter((_, place) => place !== index);

const newLevel = (number: number, like?: DraftLevel): DraftLevel => ({
  key: `level-${number}`,
  label: t`Level ${number}`,
  variables: like?.variables ?? [],
  build: like?.build == null ? null : '',
});

export function addFactor(draft: Draft): Draft {
  const number = draft.factors.length + 1;
  const key = uniqueKey(
    `factor-${number}`,
    draft.factors.map((factor) => factor.key),
  );
  return insertFactor(draft, { key, label: t`Factor ${number}`, levels: [newLevel(1), newLevel(2)] });
}

/** A factor that is ready: its levels cross with all others. */
export function insertFactor(draft: Draft, factor: DraftFactor): Draft {
  const trace = unchanged(draft.factors);
  return withFactors(draft, [...draft.factors, factor], {
    factors: [...trace.factors, null],
    levels: [...trace.levels, factor.levels.map(() => null)],
  });
}

export function removeFactor(draft: Draft, index: number): Draft {
  const trace = unchanged(draft.factors);
  return withFactors(draft, without(draft.factors, index), {
    factors: without(trace.factors, index),
    levels: without(trace.levels, index),
  });
}

export function moveFactor(draft: Draft, index: number, by: number): Draft {
  const trace = unchanged(draft.factors);
  return withFactors(draft, moved(draft.factors, index, by), {
    factors: moved(trace.factors, index, by),
    levels: moved(trace.levels, index, by),
  });
}

/** Change one factor's levels; `trace` says where each of the new ones was. */
function withLevels(draft: Draft, index: number, levels: DraftLevel[], from: (number | null)[]): Draft {
  const factor = draft.factors[index];
  if (!factor) return draft;
  const trace = unchanged(draft.factors);
  const factors = replaced(draft.factors, index, { ...factor, levels });
  return withFactors(draft, factors, { ...trace, levels: replaced(trace.levels, index, from) });
}

const levelsAt = (draft: Draft, index: number) => draft.factors[index]?.levels ?? [];

/** The new level sets the same variables as the last one, so that only values need typing. */
export function addLevel(draft: Draft, index: number): Draft {
  const levels = levelsAt(draft, index);
  const level = newLevel(levels.length + 1, levels.at(-1));
  const key = uniqueKey(
    level.key,
    levels.map((item) => item.key),
  );
  return withLevels(draft, index, [...levels, { ...level, key }], [...places(levels), null]);
}

export function removeLevel(draft: Draft, index: number, level: number): Draft {
  const levels = levelsAt(draft, index);
  return withLevels(draft, index, without(levels, level), without(places(levels), level));
}

export function moveLevel(draft: Draft, index: number, level: number, by: number): Draft {
  const levels = levelsAt(draft, index);
  return withLevels(draft, index, moved(levels, level, by), moved(places(levels), level, by));
}

/** As `newLevel` and `addFactor` make them, whatever the language of the label. */
const MADE_KEY = /^(factor|level)-\d/;

const keyFollows = (key: string, label: string, others: readonly string[]) =>
  key === '' || MADE_KEY.test(key) || key === uniqueKey(slug(label), others);

export function renameFactor(draft: Draft, index: number, change: { key?: string; label?: string }): Draft {
  const factor = draft.factors[index];
  if (!factor) return draft;
  const others = without(draft.factors, index).map(({ key }) => key);
  const renamed = withKeyOfLabel(factor, change, others);
  return withFactors(draft, replaced(draft.factors, index, renamed), unchanged(draft.factors));
}

export function renameLevel(
  draft: Draft,
  index: number,
  place: number,
  change: { key?: string; label?: string },
): Draft {
  const levels = levelsAt(draft, index);
  const level = levels[place];
  if (!level) return draft;
  const others = without(levels, place).map(({ key }) => key);
  const renamed = withKeyOfLabel(level, change, others);
  return withLevels(draft, index, replaced(levels, place, renamed), places(levels));
}

/** A key that was made goes on following the label; one that was typed stays. */
function withKeyOfLabel<T extends { key: string; label: string }>(
  item: T,
  change: { key?: string; label?: string },
  others: readonly string[],
): T {
  if (change.key !== undefined || change.label === undefined) return { ...item, ...change };
  const made = slug(change.label);
  const follows = made !== '' && keyFollows(item.key, item.label, others);
  return { ...item, label: change.label, key: follows ? uniqueKey(made, others) : item.key };
}
