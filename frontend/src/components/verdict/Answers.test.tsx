import { i18n } from '@lingui/core';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, SentenceParts } from '@/api/generated';
import { textsOnServer } from '@/app/texts';
import { beginTexts } from '@/lib/language/texts';
import { show } from '@/test/show';
import { Answers } from './Answers';

const composed = (text: string, template: string, values: SentenceParts['values']): SentenceParts => ({
  text,
  template,
  values,
});

const answer = (changes: Partial<Answer>): Answer => ({
  metric: 'requests_per_s',
  stream: null,
  question: 'More requests/s?',
  sign: 'yes',
  word: composed('Yes with on', '{answer} with {arms}', { answer: composed('Yes', 'Yes', {}), arms: 'on' }),
  text: composed('`on` +12 %, and 2 more', '{one}, {other}', {
    one: composed('`on` +12 %', '`{arm}` {found}', { arm: 'on', found: '+12 %' }),
    other: composed('and 2 more', 'and {count} more', { count: { text: '2', number: 2, unit: '' } }),
  }),
  arms: [],
  ...changes,
});

const rows = () =>
  screen.getAllByRole('listitem').map(({ textContent }) => textContent?.replace(/\u00a0/g, ' '));

describe('Answers', () => {
  it('are the server’s words in English', () => {
    show(<Answers analysis={{ answers: [answer({})] }} />);
    expect(rows()).toEqual(['More requests/s?Yes with on: on +12 %, and 2 more']);
  });

  describe('in Chinese', () => {
    beforeEach(async () => {
      localStorage.setItem('ngxlab.language', 'zh-Hans');
      await beginTexts(textsOnServer, 'app', 'shared', 'server/results');
    });
    afterEach(() => {
      localStorage.clear();
      i18n.activate('en');
    });

    it('say all that they say in English', () => {
      show(<Answers analysis={{ answers: [answer({}), answer({ metric: 'p99_ms', text: '' })] }} />);
      expect(rows()).toEqual(['每秒请求数更多？是（on）：on +12 %，另有 2 个', '每秒请求数更多？是（on）']);
    });

    it('are marked as English where a text has no translation', () => {
      show(<Answers analysis={{ answers: [answer({ question: 'More of something new?' })] }} />);
      expect(screen.getByText('More of something new?')).toHaveAttribute('lang', 'en');
      expect(screen.getByText('是（on）')).not.toHaveAttribute('lang');
    });
  });
});
