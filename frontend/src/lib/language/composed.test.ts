import { i18n } from '@lingui/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textsOnServer } from '@/app/texts';
import { composed } from './composed';
import { languageOf, said } from './serverText';
import { beginTexts, changeLanguage } from './texts';

describe('What the server composes, in Chinese', () => {
  beforeEach(async () => {
    localStorage.setItem('ngxlab.language', 'zh-Hans');
    await beginTexts(textsOnServer, 'server/results');
  });
  afterEach(() => {
    localStorage.clear();
    i18n.activate('en');
  });

  const templates = () => Object.entries(i18n.messages).filter(([key]) => key.includes('{0}'));
  const filled = (text: string) => text.replace(/\{(\d+)\}/g, (_, place) => `${Number(place) + 11}`);

  it('is taken for what it was made of: each template is found by a sentence of it', () => {
    expect(templates().length).toBeGreaterThan(100);
    const wrong = templates()
      .map(([english, chinese]) => [filled(english), filled(String(chinese)), composed(filled(english))])
      .filter(([, expected, got]) => got?.replaceAll(' ', '') !== expected?.replaceAll(' ', ''));
    expect(wrong).toEqual([]);
  });

  it('has its values where they belong, and what they say in the same language', () => {
    expect(
      said('Better: `on` served 12 % more requests/s than `off` (95 % CI +8.0 % to +16 %, n = 5 pairs).'),
    ).toBe('更好：`on` 的每秒请求数比 `off` 多 12 %（95 % 置信区间 +8.0 % 至 +16 %，n = 5 对）。');
    const open =
      'Undecided: p99 on stream `hot` with `a b` against `off`: +3.0 % (95 % CI at any look −9.0 % to +16 %, n = 5 pairs); ' +
      'about 12 more pairs decide with 80 % power at a margin of 2 %.';
    expect(said(open)).toBe(
      '未定：`a b` 对比 `off` 的负载流 `hot` 的 p99：+3.0 %（任意时刻有效的 95 % 置信区间 −9.0 % 至 +16 %，n = 5 对）；' +
        '判定界限为 2 %、检验功效为 80 % 时，大约再加 12 对即可判定。',
    );
    expect(languageOf(open)).toBeUndefined();
  });

  it('may be several sentences, and begin with a small letter what begins another with a capital', () => {
    expect(
      said('Partial: 3 of 4 trials are usable. Validity: 1 of 2 checks passed; warning: shared cores.'),
    ).toBe('部分：4 次试验中有 3 次可用。有效性：2 项检查中 1 项通过；警告：共用核。');
    expect(said('Preview only: 2 complete blocks. Not valid: the generator was saturated.')).toBe(
      '仅为预览：2 个完整区组。无效：负载生成器已饱和。',
    );
  });

  it('stays English as a whole where a part of it is not known', () => {
    const sentence = 'Not valid: something that nobody has translated: the values are identical.';
    expect(said(sentence)).toBe(sentence);
    expect(languageOf(sentence)).toBe('en');
    expect(composed('12 goats to 13 sheep and a host')).toBeUndefined();
  });

  it('gives a long sentence up that could be taken apart in very many ways', () => {
    const sentence = `Not valid: ${'a of b to c, d; e: f (g) with h and i. '.repeat(40)}`;
    expect(said(sentence)).toBe(sentence);
  });

  it('leaves names as they are, whatever their letters', () => {
    expect(said('`实验a` served 7.4 times as many requests/s as `requests/s to host`')).toBe(
      '`实验a` 的每秒请求数是 `requests/s to host` 的 7.4 倍',
    );
  });

  it('is English again as soon as that is chosen', async () => {
    expect(said('n = 5 pairs')).toBe('n = 5 对');
    await changeLanguage('en');
    expect(said('n = 5 pairs')).toBe('n = 5 pairs');
  });
});
