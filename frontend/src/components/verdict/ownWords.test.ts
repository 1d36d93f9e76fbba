import { i18n } from '@lingui/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '@/api/generated';
import { textsOnServer } from '@/app/texts';
import { aReport } from '@/features/reports/report.testdata';
import { beginTexts } from '@/lib/language/texts';
import { answerWords, listedWords, notValidWords, trustWords, validityWords } from './ownWords';

const { analysis } = aReport();
const [arm] = analysis.arms;
const arms = ['a', 'b', 'c', 'd', 'e'].map((key) => ({
  ...arm,
  key,
  label: key.toUpperCase(),
})) as typeof analysis.arms;

const answer = (changes: Partial<Answer>): Answer => ({
  metric: 'requests_per_s',
  stream: null,
  question: 'More requests/s?',
  sign: 'yes',
  word: 'Yes',
  text: '',
  arms: [{ arm: 'b', verdict: 'better', text: '+12 %' }],
  ...changes,
});

describe('The words of answers', () => {
  beforeEach(async () => {
    localStorage.setItem('ngxlab.language', 'zh-Hans');
    await beginTexts(textsOnServer, 'app', 'shared', 'server/results');
  });
  afterEach(() => {
    localStorage.clear();
    i18n.activate('en');
  });

  it('are those of the server in English', () => {
    i18n.activate('en');
    expect(answerWords(answer({}), arms)).toBeNull();
    expect(trustWords(analysis)).toBe(analysis.qualification);
    expect(validityWords(analysis.checks)).toBe(analysis.checks.text);
    expect(notValidWords({ ...analysis, not_valid: 'Not valid: so.' })).toBe('Not valid: so.');
  });

  it('name the stream, and the arms that the answer is of', () => {
    const given = answer({
      stream: 'hot',
      question: 'More requests/s (stream hot)?',
      word: 'No, fewer with B',
      arms: [
        { arm: 'b', verdict: 'worse', text: '-12 %' },
        { arm: 'c', verdict: 'undecided', text: '-1 % to +6 %' },
      ],
    });
    expect(answerWords(given, arms)).toEqual({
      question: '每秒请求数更多？（负载流 hot）',
      word: '否，更少（B）',
      figures: '`B` -12 %，`C` -1 % 至 +6 %',
    });
  });

  it('name the decided arms first, three of them, and count the others', () => {
    const several: Answer['arms'] = [
      { arm: 'b', verdict: 'undecided', text: '−1 % to +6 %' },
      { arm: 'c', verdict: 'better', text: '7.4x' },
      { arm: 'd', verdict: 'undecided', text: '+3 % (no interval)' },
      { arm: 'e', verdict: null, text: 'not measured' },
    ];
    expect(answerWords(answer({ arms: several }), arms)?.figures).toBe(
      '`C` 7.4x，`B` −1 % 至 +6 %，`D` +3 %（无区间），另有 1 个',
    );
    expect(answerWords(answer({ arms: several.slice(3) }), arms)?.figures).toBe('未测量');
  });

  it('are left to the server where a text has no translation', () => {
    expect(answerWords(answer({ question: 'More of something new?' }), arms)).toBeNull();
    expect(answerWords(answer({ word: 'Perhaps' }), arms)).toBeNull();
  });

  it('say what voids claims, and what limits them', () => {
    const results = analysis.checks.results.map((check) =>
      check.key === 'accounting' ? { ...check, severity: 'error' as const, title: 'Clocks disagree' } : check,
    );
    const voided = { ...analysis, not_valid: 'Not valid: clocks.', checks: { ...analysis.checks, results } };
    expect(notValidWords(voided)).toBe('无效：时钟不一致。');
    expect(notValidWords(analysis)).toBeNull();
    const words = trustWords({ ...voided, preview: false, partial: true, procedure: 'any_look' });
    expect(words).toMatch(/^部分结果：\d+ 个试验可用。按可随时查看的方式判断/);
    expect(words).toContain('错误：时钟不一致');
    expect(validityWords({ ...analysis.checks, made: 0 })).toBe('无法进行任何检查');
  });

  it('name arms in a list as the server does, of which lists know nothing else', () => {
    const listed = (changes: Partial<Answer>) => listedWords(answer(changes));
    expect(
      listed({ word: 'Yes with accept_mutex off and on', text: '`on` +12 %, `off` +3 %, and 2 more' }),
    ).toEqual({
      question: '每秒请求数更多？',
      word: '是（accept_mutex off和on）',
      figures: '`on` +12 %，`off` +3 %，另有 2 个',
    });
    expect(
      listed({ question: 'Lower p99 (stream hot)?', word: 'No, higher with 3 of 4 arms' }),
    ).toMatchObject({
      question: 'p99 更低？（负载流 hot）',
    });
    expect(listed({ question: 'Was it worth it?' })).toBeNull();
    i18n.activate('en');
    expect(listed({})).toBeNull();
  });
});
