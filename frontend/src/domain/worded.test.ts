import { i18n } from '@lingui/core';
import { afterEach, describe, expect, it } from 'vitest';
import type { Definition } from '@/api/generated';
import type { Said } from '@/lib/language/serverText';
import { textId } from '@/lib/language/textId';
import { worded } from './worded';

const definition = {
  question: 'Which change between a.conf and b.conf makes the difference?',
  factors: [
    { key: 'd1', label: 'gzip off → gzip on', levels: [{ key: 'old', label: 'old', variables: { d1: '' } }] },
  ],
  design: {
    kind: 'chosen',
    arms: [
      { key: 'old', label: 'old', levels: { d1: 'old' } },
      { key: 'd1', label: 'only gzip off → gzip on', levels: { d1: 'new' } },
    ],
  },
} as unknown as Definition;

const words: Said[] = [
  {
    text: 'Which change between a.conf and b.conf makes the difference?',
    template: 'Which change between {old} and {new} makes the difference?',
    values: { old: 'a.conf', new: 'b.conf' },
  },
  {
    text: 'only gzip off → gzip on',
    template: 'only {change}',
    values: { change: 'gzip off → gzip on' },
  },
];

afterEach(() => i18n.activate('en'));

describe('worded', () => {
  it('says question and labels in the language of the reader, and leaves names as they are', () => {
    i18n.loadAndActivate({
      locale: 'zh-Hans',
      messages: {
        [textId('old')]: '旧',
        [textId('only {change}')]: '仅 {change}',
        [textId('Which change between {old} and {new} makes the difference?')]: '{old} 与 {new} 之间？',
      },
    });
    const made = worded(definition, words);
    expect(made.question).toBe('a.conf 与 b.conf 之间？');
    expect(made.factors[0]?.label).toBe('gzip off → gzip on');
    expect(made.factors[0]?.levels[0]).toEqual({ key: 'old', label: '旧', variables: { d1: '' } });
    const arms = made.design?.kind === 'chosen' ? made.design.arms : [];
    expect(arms.map(({ label }) => label)).toEqual(['旧', '仅 gzip off → gzip on']);
  });

  it('is what it was in English', () => {
    expect(worded(definition, words)).toEqual(definition);
  });
});
