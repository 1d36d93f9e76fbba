import { expect, it } from 'vitest';
import { paperOf } from './paper';

it.each([
  [['en-US'], 'letter'],
  [['de-DE', 'en-US'], 'A4'],
  [['en', 'en-GB'], 'A4'],
  [['es', 'es-MX'], 'letter'],
  [['zh-Hans-CN'], 'A4'],
  [[], 'A4'],
])('is the paper of readers with %j: %s', (locales, paper) => {
  expect(paperOf(locales)).toBe(paper);
});
