import { named, THE_ONLY_ARM } from '@/lib/language/serverText';
import type { Draft, DraftDesign, DraftExclusion, DraftFactor } from './draft/draft';
import { keysOf } from './draft/values';

/** More are neither laid out by the backend nor of any use on a screen. */
export const MAX_COMBINATIONS = 2000;

export type CellState = 'on' | 'off' | 'excluded';

export interface Cell {
  key: string;
  label: string;
  levels: Record<string, string>;
  state: CellState;
  /** Why an excluded one is. */
  reason: string;
}

/** Every combination of levels, as their places; the last factor's levels change fastest. */
export function combinations(factors: readonly DraftFactor[]): number[][] {
  const count = factors.reduce((product, factor) => product * factor.levels.length, 1);
  if (count > MAX_COMBINATIONS) return [];
  return factors.reduce<number[][]>(
    (found, factor) => found.flatMap((head) => factor.levels.map((_, level) => [...head, level])),
    [[]],
  );
}

const chosenLevels = (factors: readonly DraftFactor[], combination: readonly number[]) =>
  combination.flatMap((level, factor) => factors[factor]?.levels[level] ?? []);

/** As the backend names arms: levels' keys joined by dots, `only` without factors. */
export function keyOf(factors: readonly DraftFactor[], combination: readonly number[]): string {
  return factors.length === 0 ? 'only' : keysOf(chosenLevels(factors, combination)).join('.');
}

const sameLevels = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([factor, level]) => other[factor] === level);

function exclusionOf(levels: Record<string, string>, exclusions: readonly DraftExclusion[]) {
  return exclusions.find(({ when }) => {
    const conditions = Object.entries(when);
    return (
      conditions.length > 0 && conditions.every(([factor, named]) => named.includes(levels[factor] ?? ''))
    );
  });
}

/** The whole matrix with what becomes of each combination, in the backend's order. */
export function cellsOf({ factors, design }: Pick<Draft, 'factors' | 'design'>): Cell[] {
  return combinations(factors).map((combination) => {
    const chosen = chosenLevels(factors, combination);
    const label = factors.length === 0 ? named(THE_ONLY_ARM) : chosen.map((level) => level.label).join(', ');
    const levels = Object.fromEntries(factors.map(({ key }, index) => [key, chosen[index]?.key ?? '']));
    const cell = { key: keyOf(factors, combination), label, levels, reason: '' };
    if (design.kind === 'chosen') {
      const arm = design.arms.find((candidate) => sameLevels(candidate.levels, levels));
      return arm ? { ...cell, key: arm.key, label: arm.label, state: 'on' } : { ...cell, state: 'off' };
    }
    const exclusion = exclusionOf(levels, design.exclude);
    if (exclusion) return { ...cell, state: 'excluded', reason: exclusion.reason };
    return { ...cell, state: design.off.includes(cell.key) ? 'off' : 'on' };
  });
}

/** Switch a combination on or off. An excluded one stays as it is. */
export function toggleCell(draft: Draft, cell: Cell): Draft {
  if (cell.state === 'excluded') return draft;
  const on = cell.state === 'on';
  const { design } = draft;
  if (design.kind === 'matrix') {
    const others = design.off.filter((key) => key !== cell.key);
    return { ...draft, design: { ...design, off: on ? [...others, cell.key] : others } };
  }
  const wanted = cellsOf(draft).filter(({ key, state }) => (key === cell.key ? !on : state === 'on'));
  return { ...draft, design: { kind: 'chosen', arms: wanted.map(armOf) } };
}

const armOf = ({ key, label, levels }: Cell) => ({ key, label, levels });

/** The same arms, said in the other way. What excluded combinations only is lost where arms are chosen. */
export function withKind(draft: Draft, kind: DraftDesign['kind']): Draft {
  if (kind === draft.design.kind) return draft;
  const cells = cellsOf(draft);
  const running = cells.filter((cell) => cell.state === 'on');
  if (kind === 'chosen') return { ...draft, design: { kind, arms: running.map(armOf) } };
  const plain = cellsOf({ factors: draft.factors, design: { kind, exclude: [], off: [] } });
  const off = plain.filter((_, index) => cells[index]?.state !== 'on').map((cell) => cell.key);
  const place = cells.findIndex((cell) => cell.key === draft.baseline);
  return { ...draft, baseline: plain[place]?.key ?? draft.baseline, design: { kind, exclude: [], off } };
}

const STEPS: Record<string, (index: number, columns: number) => number> = {
  ArrowLeft: (index, columns) => (index % columns === 0 ? index : index - 1),
  ArrowRight: (index, columns) => (index % columns === columns - 1 ? index : index + 1),
  ArrowUp: (index, columns) => index - columns,
  ArrowDown: (index, columns) => index + columns,
  Home: (index, columns) => index - (index % columns),
  End: (index, columns) => index - (index % columns) + columns - 1,
};

/** The cell that a key leads to; null for a key that does not move. At an edge it stays. */
export function cellAfter(key: string, index: number, columns: number, count: number): number | null {
  const step = STEPS[key];
  if (!step) return null;
  const target = step(index, columns);
  return target >= 0 && target < count ? target : index;
}
