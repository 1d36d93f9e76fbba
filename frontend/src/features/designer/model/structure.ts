/**
 * Changes of factors and levels. Whatever names them elsewhere follows: cells switched off, exclusions, chosen arms,
 * the baseline and thresholds of single arms.
 */
import { t } from '@lingui/core/macro';
import type { Draft, DraftArm, DraftDesign, DraftExclusion, DraftFactor, DraftLevel } from './draft/draft';
import { keysOf, slug, uniqueKey } from './draft/values';
import { cellsOf, combinations, keyOf } from './matrix';

/** While something changes, each factor and each level knows its former place; a new one has none. */
interface Traced {
  was?: number;
}
type TracedFactor = Omit<DraftFactor, 'levels'> & Traced & { levels: (DraftLevel & Traced)[] };

const traced = <T>(items: readonly T[]) => items.map((item, was) => ({ ...item, was }));
const untraced = <T>({ was: _, ...item }: T & Traced) => item;

/** The former combinations that a combination stems from: none for a new level, several for a removed factor. */
function originsOf(
  combination: readonly number[],
  before: readonly DraftFactor[],
  after: readonly TracedFactor[],
): number[][] {
  return before.reduce<number[][]>(
    (found, factor, index) => {
      const now = after.findIndex(({ was }) => was === index);
      const level = after[now]?.levels[combination[now] ?? -1]?.was;
      const levels = now === -1 ? [...factor.levels.keys()] : level === undefined ? [] : [level];
      return found.flatMap((head) => levels.map((item) => [...head, item]));
    },
    [[]],
  );
}

interface Renaming {
  /** Former key of an arm -> the first arm that stems from it. */
  keys: Map<string, string>;
  off: string[];
}

function renaming(before: Draft, after: readonly TracedFactor[]): Renaming {
  const wasOff = new Set(before.design.kind === 'matrix' ? before.design.off : []);
  const found: Renaming = { keys: new Map(), off: [] };
  for (const combination of combinations(after)) {
    const key = keyOf(after, combination);
    const origins = originsOf(combination, before.factors, after).map((origin) =>
      keyOf(before.factors, origin),
    );
    if (origins.length > 0 && origins.every((origin) => wasOff.has(origin))) found.off.push(key);
    for (const origin of origins) if (!found.keys.has(origin)) found.keys.set(origin, key);
  }
  return found;
}

/** The keys that factor and level have now; null where one is gone. */
function follow(
  factor: string,
  level: string,
  before: readonly DraftFactor[],
  after: readonly TracedFactor[],
) {
  const index = before.findIndex(({ key }) => key === factor);
  if (index === -1) return { factor, level };
  const now = after.find(({ was }) => was === index);
  const place = before[index]?.levels.findIndex(({ key }) => key === level);
  const levelNow = now?.levels.find(({ was }) => was === place);
  return { factor: now?.key ?? null, level: place === -1 ? level : (levelNow?.key ?? null) };
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
  return { levels, key: names.keys.get(arm.key) ?? arm.key, label: arm.label };
}

function designAfter(before: Draft, after: readonly TracedFactor[], names: Renaming): DraftDesign {
  const { design } = before;
  const followed: Follow = (factor, level) => follow(factor, level, before.factors, after);
  if (design.kind === 'matrix') {
    const exclude = design.exclude.flatMap((exclusion) => exclusionAfter(exclusion, followed) ?? []);
    return { kind: 'matrix', exclude, off: names.off };
  }
  const added = after.filter(({ was }) => was === undefined);
  return { kind: 'chosen', arms: design.arms.flatMap((arm) => armAfter(arm, added, followed, names) ?? []) };
}

const ARM_OF_THRESHOLD = /^(.*\sfor\s+)(\S+)(\s*)$/;

/** Other factors: what `change` makes of those there are. */
export function withFactors(before: Draft, change: (factors: TracedFactor[]) => TracedFactor[]): Draft {
  const after = change(
    traced(before.factors).map((factor) => ({ ...factor, levels: traced(factor.levels) })),
  );
  const names = renaming(before, after);
  const factors = after.map((factor) => ({ ...untraced(factor), levels: factor.levels.map(untraced) }));
  const design = designAfter(before, after, names);
  const running = cellsOf({ factors, design }).filter((cell) => cell.state === 'on');
  const known = cellsOf(before).some((cell) => cell.key === before.baseline);
  const baseline = names.keys.get(before.baseline) ?? (known ? running[0]?.key : undefined);
  const thresholds = before.thresholds.map((text) =>
    text.replace(ARM_OF_THRESHOLD, (_, head, arm, tail) => head + (names.keys.get(arm) ?? arm) + tail),
  );
  return { ...before, factors, design, thresholds, baseline: baseline ?? before.baseline };
}

/** Other levels of the factor at a place. */
export function withLevels(
  draft: Draft,
  factor: number,
  change: (levels: DraftLevel[]) => DraftLevel[],
): Draft {
  return withFactors(draft, (factors) =>
    factors.map((own, place) => (place === factor ? { ...own, levels: change(own.levels) } : own)),
  );
}

const newLevel = (number: number, like?: DraftLevel): DraftLevel => ({
  key: `level-${number}`,
  label: t`Level ${number}`,
  variables: like?.variables ?? [],
  build: like?.build == null ? null : '',
});

export function newFactor(factors: readonly DraftFactor[]): DraftFactor {
  const number = factors.length + 1;
  const key = uniqueKey(`factor-${number}`, keysOf(factors));
  const first = { ...newLevel(1), variables: [{ name: nameFor(key), value: '' }] };
  return { key, label: t`Factor ${number}`, levels: [first, newLevel(2, first)] };
}

/** What a variable is called that stands for a whole factor: `access-log` -> `access_log`. */
export const nameFor = (key: string): string => key.replaceAll('-', '_').replace(/^\d/, '_$&');

/** A further level sets the same variables as the last one, so that only values need typing. */
export function nextLevel(levels: readonly DraftLevel[]): DraftLevel {
  const level = newLevel(levels.length + 1, levels.at(-1));
  return { ...level, key: uniqueKey(level.key, keysOf(levels)) };
}

export interface Naming {
  key?: string;
  label?: string;
}

export const renameFactor = (draft: Draft, index: number, naming: Naming): Draft =>
  withFactors(draft, (factors) => renamed(factors, index, naming));

export const renameLevel = (draft: Draft, factor: number, index: number, naming: Naming): Draft =>
  withLevels(draft, factor, (levels) => renamed(levels, index, naming));

/** As `newLevel` and `newFactor` make them, whatever the language of the label. */
const MADE_KEY = /^(factor|level)-\d/;

/** A key that was made goes on following the label; one that was typed stays. */
function renamed<T extends Required<Naming>>(items: readonly T[], index: number, naming: Naming): T[] {
  const taken = keysOf(items.filter((_, place) => place !== index));
  const made = slug(naming.label ?? '');
  const isMade = (key: string, label: string) =>
    key === '' || MADE_KEY.test(key) || key === uniqueKey(slug(label), taken);
  return items.map((item, place) => {
    if (place !== index) return item;
    const follows = naming.key === undefined && made !== '' && isMade(item.key, item.label);
    return { ...item, ...naming, ...(follows ? { key: uniqueKey(made, taken) } : {}) };
  });
}
