import { beforeEach, describe, expect, it } from 'vitest';
import type { Definition } from '@/api/generated';
import { slotNames } from '@/domain/slots';
import { nameInYaml } from '../../ImportDialog';
import { forgetDraft, readDraft, writeDraft } from '../../useStoredDraft';
import { DesignerStore } from '../store';
import { blankDraft, toDefinition, toDraft } from './draft';
import { numberOrText, scalarOf, slug, uniqueKey } from './values';

describe('a draft', () => {
  it('is the definition it came from, whatever that holds', () => {
    const definition = {
      ...toDefinition(blankDraft()),
      factors: [
        {
          key: 'mode',
          label: 'Mode',
          levels: [
            { key: 'on', label: 'On', variables: { n: 4, text: 'a\nb', yes: true }, build: 'tengine' },
          ],
        },
      ],
      design: { kind: 'chosen', arms: [{ key: 'on', label: 'On', levels: { mode: 'on' } }] },
      baseline: 'on',
      placement: { target: '0-1' },
      thresholds: ['p99_ms < 20'],
    } as unknown as Definition;
    expect(toDefinition(toDraft('A name', definition))).toEqual(definition);
  });

  it('has the defaults of what a definition leaves out', () => {
    const definition: Definition = {
      question: 'why',
      factors: [],
      baseline: 'only',
      nginx: { workers: 1, worker_connections: 64, server: '' },
      streams: [{ key: 'main', threads: 1, connections: 1 }],
      plan: { blocks: 1, warmup_s: 0, measure_s: 1 },
    };
    const draft = toDraft('A name', definition);
    expect(draft.streams[0]).toMatchObject({
      slot: 'generator',
      method: 'GET',
      keep_alive: true,
      headers: [],
    });
    expect(draft.plan).toMatchObject({ cooldown_s: 1, interval_ms: 1000, stop: { kind: 'fixed' } });
    expect(slotNames(draft)).toEqual(['target', 'generator']);
  });
});

describe('what is typed', () => {
  it('becomes a number only where nothing is lost by it', () => {
    expect(['12', '0.5', '-3'].map(numberOrText)).toEqual([12, 0.5, -3]);
    expect(['', '1.', '1.0', '0x10', '1e3', '{{ n }}', 'Infinity'].map(numberOrText)).toEqual([
      '',
      '1.',
      '1.0',
      '0x10',
      '1e3',
      '{{ n }}',
      'Infinity',
    ]);
    expect(['true', 'on', '8'].map(scalarOf)).toEqual([true, 'on', 8]);
  });

  it('makes keys', () => {
    expect(slug('Accept mutex: on')).toBe('accept-mutex-on');
    expect(slug('—')).toBe('');
    expect(uniqueKey('a', ['a', 'a-2'])).toBe('a-3');
  });

  it('finds the name of a document', () => {
    expect(nameInYaml('schema_version: 1\nname: My experiment\n')).toBe('My experiment');
    expect(nameInYaml("name: 'It''s'\n")).toBe("It's");
    expect(nameInYaml('name: "a: b"\n')).toBe('a: b');
    expect(nameInYaml('question: x\n  name: inner\n')).toBeNull();
  });
});

describe('a draft that is not saved', () => {
  beforeEach(() => sessionStorage.clear());

  it('outlives the page, by experiment', () => {
    const draft = { ...blankDraft(), name: 'Half done' };
    expect(writeDraft('one', { draft, baseVersion: 3 })).toBe(true);
    expect(readDraft('one')).toMatchObject({ draft, baseVersion: 3 });
    expect(readDraft(null)).toBeNull();
    forgetDraft('one');
    expect(readDraft('one')).toBeNull();
  });

  it('is not read from what is none', () => {
    sessionStorage.setItem('ngxlab.draft.new', '{"format":0');
    expect(readDraft(null)).toBeNull();
  });

  it('is known by its content: what was undone needs no saving', () => {
    const store = new DesignerStore(blankDraft());
    store.change((draft) => ({ ...draft, name: 'x' }));
    expect(store.isDirty()).toBe(true);
    store.undo();
    expect(store.isDirty()).toBe(false);
    store.redo();
    store.markSaved(store.draft);
    expect(store.isDirty()).toBe(false);
  });
});
