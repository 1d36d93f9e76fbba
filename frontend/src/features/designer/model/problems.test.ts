import { describe, expect, it } from 'vitest';
import { blankDraft, type Draft } from './draft/draft';
import { changedPaths, valueAt, withValue } from './paths';
import { assign, byOwner, localProblems, problem, sectionOf } from './problems';

const fields = new Set([
  'factors',
  'factors.0.levels.1.key',
  'streams.0',
  'streams.0.connections',
  'nginx.server',
]);
const ownerOf = (field: string) => assign([problem(field, 'is wrong')], fields)[0]?.owner;

describe('the place of a problem', () => {
  it('is its own field', () => {
    expect(ownerOf('factors.0.levels.1.key')).toBe('factors.0.levels.1.key');
    expect(ownerOf('nginx.server')).toBe('nginx.server');
  });

  it('is the nearest field around it where the form has none of its own', () => {
    expect(ownerOf('streams.0.headers.X-A')).toBe('streams.0');
    expect(ownerOf('factors.3.levels.0.variables.workers')).toBe('factors');
  });

  it('is nowhere where the form has nothing of the kind, and never a field with a similar name', () => {
    expect(ownerOf('schema_version')).toBeNull();
    expect(assign([problem('streams.01', '')], new Set(['streams.0']))[0]?.owner).toBeNull();
  });

  it('is shared by several', () => {
    const found = assign([problem('streams.0.x', 'one'), problem('streams.0.y', 'two')], fields);
    expect(
      byOwner(found)
        .get('streams.0')
        ?.map(({ message }) => message),
    ).toEqual(['one', 'two']);
  });

  it('has a section for every field of a definition', () => {
    const without = Object.keys(blankDraft()).filter((field) => !sectionOf(field));
    expect(without).toEqual([]);
    expect(sectionOf('design.exclude.0.when.mode')?.id).toBe('arms');
  });
});

describe('problems that only the form can see', () => {
  const level = (variables: { name: string; value: string }[]): Draft => ({
    ...blankDraft(),
    name: 'A name',
    factors: [{ key: 'f', label: 'f', levels: [{ key: 'l', label: 'l', variables, build: null }] }],
  });

  it('are a missing name and equal names of variables', () => {
    expect(localProblems(blankDraft()).map(({ field }) => field)).toEqual(['name']);
    const twice = level([
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
    ]);
    expect(localProblems(twice).map(({ field }) => field)).toEqual(['factors.0.levels.0.variables.a']);
    expect(localProblems(level([{ name: 'a', value: '1' }]))).toEqual([]);
  });
});

describe('paths', () => {
  it('change one value and share the rest', () => {
    const draft = blankDraft();
    const changed = withValue(draft, 'streams.0.connections', 64);
    expect(valueAt(changed, 'streams.0.connections')).toBe(64);
    expect(draft.streams[0]?.connections).toBe(16);
    expect(changed.nginx).toBe(draft.nginx);
    expect(changedPaths(draft, changed)).toEqual(['streams.0.connections']);
  });

  it('lead nowhere without a fault', () => expect(valueAt(blankDraft(), 'streams.7.key')).toBeUndefined());
});
