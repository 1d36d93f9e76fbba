import { describe, expect, it } from 'vitest';
import { blankDraft, type Draft, type DraftFactor } from './draft/draft';
import { cellsOf, toggleCell, withKind } from './matrix';
import { moved } from './paths';
import { newFactor, nextLevel, renameFactor, renameLevel, withFactors, withLevels } from './structure';

const factor = (key: string, ...levels: string[]): DraftFactor => ({
  key,
  label: key,
  levels: levels.map((level) => ({ key: level, label: level, variables: [], build: null })),
});

/** Two by three; b.2 is off, c with 1 is excluded, the baseline is b.1. */
const draft: Draft = {
  ...blankDraft(),
  factors: [factor('mode', 'a', 'b'), factor('size', '1', '2', '3')],
  design: {
    kind: 'matrix',
    off: ['b.2'],
    exclude: [{ when: { mode: ['a'], size: ['3'] }, reason: 'senseless' }],
  },
  baseline: 'b.1',
  thresholds: ['p99_ms < 20', 'errors_percent <= 0 for b.1'],
};
const without = <T>(items: readonly T[], index: number) => items.filter((_, place) => place !== index);
const addFactor = (of: Draft) => withFactors(of, (all) => [...all, newFactor(all)]);
const addLevel = (of: Draft, factor: number) => withLevels(of, factor, (all) => [...all, nextLevel(all)]);
const moveFactor = (of: Draft, index: number, by: number) => withFactors(of, (all) => moved(all, index, by));
const moveLevel = (of: Draft, factor: number, index: number, by: number) =>
  withLevels(of, factor, (all) => moved(all, index, by));
const removeFactor = (of: Draft, index: number) => withFactors(of, (all) => without(all, index));
const removeLevel = (of: Draft, factor: number, index: number) =>
  withLevels(of, factor, (all) => without(all, index));
const keys = (of: Draft, state: string) =>
  cellsOf(of).flatMap((cell) => (cell.state === state ? cell.key : []));

describe('the matrix', () => {
  it('is every combination, in the order of the factors, less what is off or excluded', () => {
    expect(keys(draft, 'on')).toEqual(['a.1', 'a.2', 'b.1', 'b.3']);
    expect(keys(draft, 'excluded')).toEqual(['a.3']);
    expect(keys(blankDraft(), 'on')).toEqual(['only']);
  });

  it('switches cells, but not excluded ones', () => {
    const cells = cellsOf(draft);
    const cell = (key: string) => cells.find((candidate) => candidate.key === key) ?? expect.fail(key);
    expect(keys(toggleCell(draft, cell('b.2')), 'off')).toEqual([]);
    expect(keys(toggleCell(draft, cell('a.1')), 'off')).toEqual(['a.1', 'b.2']);
    expect(toggleCell(draft, cell('a.3'))).toBe(draft);
  });

  it('is the same whichever way it is said', () => {
    const chosen = withKind(draft, 'chosen');
    expect(keys(chosen, 'on')).toEqual(keys(draft, 'on'));
    expect(keys(withKind(chosen, 'matrix'), 'on')).toEqual(keys(draft, 'on'));
  });
});

describe('changes of factors and levels', () => {
  it('rename what is switched off, excluded, the baseline, and thresholds', () => {
    const renamed = renameLevel(draft, 0, 1, { key: 'best' });
    expect(keys(renamed, 'off')).toEqual(['best.2']);
    expect(renamed.baseline).toBe('best.1');
    expect(renamed.thresholds).toEqual(['p99_ms < 20', 'errors_percent <= 0 for best.1']);
    const factorRenamed = renameFactor(draft, 1, { key: 'bytes' });
    expect(keys(factorRenamed, 'excluded')).toEqual(['a.3']);
  });

  it('follow a move', () => {
    const turned = moveFactor(draft, 0, 1);
    expect(keys(turned, 'off')).toEqual(['2.b']);
    expect(keys(turned, 'excluded')).toEqual(['3.a']);
    expect(turned.baseline).toBe('1.b');
    expect(moveFactor(turned, 0, 1)).toEqual(draft);
    expect(keys(moveLevel(draft, 1, 0, 2), 'off')).toEqual(['b.2']);
  });

  it('keep cells off in every combination with a new factor, and on again without it', () => {
    const wider = addFactor(draft);
    expect(keys(wider, 'off')).toEqual(['b.2.level-1', 'b.2.level-2']);
    expect(wider.baseline).toBe('b.1.level-1');
    expect(removeFactor(wider, 2)).toMatchObject({ design: draft.design, baseline: 'b.1' });
  });

  it('start from the only arm', () => {
    expect(addFactor(blankDraft()).baseline).toBe('level-1');
    expect(removeFactor(addFactor(blankDraft()), 0).baseline).toBe('only');
  });

  it('drop what named a removed level, rather than let it mean more', () => {
    const shorter = removeLevel(draft, 1, 2);
    expect(shorter.design).toEqual({ kind: 'matrix', off: ['b.2'], exclude: [] });
    expect(removeLevel(draft, 0, 1).baseline).toBe('a.1');
  });

  it('give a new level the variables of the last, and a key of its own', () => {
    const set = {
      ...draft,
      factors: [
        {
          ...factor('n', 'level-2'),
          levels: [{ key: 'level-2', label: 'x', variables: [{ name: 'n', value: 1 }], build: null }],
        },
      ],
    };
    expect(addLevel(set, 0).factors[0]?.levels[1]).toEqual({
      key: 'level-2-2',
      label: 'Level 2',
      variables: [{ name: 'n', value: 1 }],
      build: null,
    });
  });

  it('let a key follow its label until it was typed', () => {
    const once = renameLevel(addFactor(blankDraft()), 0, 0, { label: '4 Workers' });
    expect(once.factors[0]?.levels[0]?.key).toBe('4-workers');
    expect(once.baseline).toBe('4-workers');
    const typed = renameLevel(once, 0, 0, { key: 'four' });
    expect(renameLevel(typed, 0, 0, { label: 'Five' }).factors[0]?.levels[0]?.key).toBe('four');
  });

  it('let a key that was made follow a label from which it could not be made', () => {
    const translated = renameLevel(addFactor(blankDraft()), 0, 0, { label: '水平一' });
    expect(translated.factors[0]?.levels[0]?.key).toBe('level-1');
    expect(renameLevel(translated, 0, 0, { label: 'Off' }).factors[0]?.levels[0]?.key).toBe('off');
  });

  it('never let two keys meet on the way', () => {
    let typing = addFactor(blankDraft());
    typing = renameLevel(typing, 0, 0, { label: 'on' });
    typing = toggleCell(typing, cellsOf(typing)[0] ?? expect.fail());
    for (const label of ['o', 'on', 'one']) typing = renameLevel(typing, 0, 1, { label });
    expect(typing.factors[0]?.levels.map((level) => level.key)).toEqual(['on', 'one']);
    expect(keys(typing, 'off')).toEqual(['on']);
  });
});
