import { describe, expect, it } from 'vitest';
import { normalTag, tagsIn } from './tags';

describe('A tag', () => {
  it.each([
    ['nightly', 'nightly'],
    [' #Kernel-6.12 ', 'kernel-6.12'],
    ['ＮＧＩＮＸ', 'nginx'],
    ['cafe\u0301', 'café'],
    ['夜间_1', '夜间_1'],
    ['हिन्दी', 'हिन्दी'],
  ])('%s is written in one way', (text, tag) => expect(normalTag(text)).toBe(tag));

  it.each(['', ' ', '#', '-a', '.a', 'a b', 'a,b', 'a/b', '<b>', 'a\u0000', '💩', 'a'.repeat(33)])(
    '%j is none',
    (text) => expect(normalTag(text)).toBeNull(),
  );
});

it('reads the tags of an address once each, and leaves out what is none', () => {
  expect(tagsIn('Nightly,a b,,nightly,kernel-6.12')).toEqual(['nightly', 'kernel-6.12']);
});
