import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { blankDraft } from './draft/draft';
import { withValue } from './paths';
import { DesignerStore } from './store';

function type(store: DesignerStore, name: string, at: number, field = 'name') {
  vi.setSystemTime(at);
  store.change((draft) => withValue(draft, field, name), field);
}

function storeAfter(...typed: [name: string, at: number, field?: string][]) {
  const store = new DesignerStore(blankDraft());
  for (const one of typed) type(store, ...one);
  return store;
}

describe('history', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('goes back and forth', () => {
    const store = storeAfter(['a', 0], ['b', 5000]);
    const newest = store.draft;
    store.undo();
    expect(store.draft.name).toBe('a');
    store.redo();
    expect(store.draft).toBe(newest);
  });

  it('takes typing without a pause as one step', () => {
    const store = storeAfter(['a', 0], ['ab', 300], ['abc', 600]);
    store.undo();
    expect(store.draft.name).toBe('');
  });

  it('takes changes of different fields as different steps, however quick', () => {
    const store = storeAfter(['a', 0], ['why', 10, 'question']);
    store.undo();
    expect(store.draft).toMatchObject({ name: 'a', question: '' });
  });

  it('never joins what came after an undo with what came before it', () => {
    const store = storeAfter(['a', 0]);
    store.undo();
    type(store, 'b', 100);
    store.undo();
    expect(store.draft.name).toBe('');
    expect(store.canRedo()).toBe(true);
    store.redo();
    expect(store.canRedo()).toBe(false);
  });

  it('forgets the future once something else is done', () => {
    const store = storeAfter(['a', 0]);
    store.undo();
    type(store, 'b', 5000);
    const { draft } = store;
    store.redo();
    expect(store.draft).toBe(draft);
  });

  it('has nothing before the beginning, and takes a change to the same as none', () => {
    const store = storeAfter();
    const { draft } = store;
    store.undo();
    store.change((same) => same);
    expect(store.draft).toBe(draft);
    expect(store.canUndo()).toBe(false);
  });
});
