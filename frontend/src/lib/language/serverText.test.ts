import { i18n } from '@lingui/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textsOnServer } from '@/app/texts';
import { languageOf, named, said } from './serverText';
import { textId } from './textId';
import { beginTexts, changeLanguage } from './texts';

const figure = (text: string, number: number, unit = '') => ({ text, number, unit });
const words = (text: string) => ({ text, template: text, values: {} });

const sentence = {
  text: 'on `a b` the generator and nginx share 2 cores; web: 3 connections failed to open (x: 3): each takes CPU from the other',
  template: '{shared}: each takes CPU from the other',
  values: {
    shared: {
      text: '…',
      template: '{one}; {other}',
      values: {
        one: {
          text: '…',
          template: 'on {names} {one} and {other} share {cores}',
          values: {
            names: '`a b`',
            one: words('the generator'),
            other: words('nginx'),
            cores: { text: '2 cores', template: '{count} cores', values: { count: figure('2', 2) } },
          },
        },
        other: {
          text: '…',
          template: '{host}: {message}',
          values: {
            host: 'web',
            message: {
              text: '…',
              template: '{count} connections failed to open{where}',
              values: {
                count: figure('3', 3),
                where: { text: ' (x: 3)', template: ' ({counts})', values: { counts: 'x: 3' } },
              },
            },
          },
        },
      },
    },
  },
};

describe('What the server says, in Chinese', () => {
  beforeEach(async () => {
    localStorage.setItem('ngxlab.language', 'zh-Hans');
    await beginTexts(textsOnServer, 'server/results');
  });
  afterEach(() => {
    localStorage.clear();
    i18n.activate('en');
  });

  it('has the name that ngxlab gives an arm, and leaves those of people as they are', () => {
    expect(named('the only arm')).toBe('唯一的实验臂');
    expect(named('off')).toBe('off');
    expect(
      said({
        text: 'p99 with `the only arm`',
        template: '{metric} with `{arm}`',
        values: { metric: words('p99'), arm: 'the only arm' },
      }),
    ).toBe('`唯一的实验臂` 的 p99');
  });

  it('is its template with names and numbers as they are, and parts that are said likewise', () => {
    expect(said(sentence)).toBe(
      '在 `a b` 上，负载生成器与 nginx 共用 2 个核；web：3 个连接未能打开（x: 3）：相互争用 CPU',
    );
    expect(languageOf(sentence)).toBeUndefined();
  });

  it('leaves a name that is also a word as it is', () => {
    const template = 'in {count} of {trials} trials: {message}';
    const values = { count: figure('1', 1), trials: figure('2', 2), message: 'the generator' };
    expect(said({ text: '…', template, values })).toContain('the generator');
  });

  it('stays English as a whole where a part of it is not known', () => {
    const unknown = {
      text: 'not cold: nobody has translated this',
      template: 'not cold: {seen}',
      values: { seen: words('nobody has translated this') },
    };
    expect(said(unknown)).toBe(unknown.text);
    expect(languageOf(unknown)).toBe('en');
  });

  it('is Chinese, too, where it was stored before the sentence was reworded', () => {
    const before = {
      text: '3 of 4 were tardy',
      template: '{count} of {all} were tardy',
      values: { count: figure('3', 3), all: figure('4', 4) },
    };
    expect(said(before)).toBe(before.text);
    i18n.load('zh-Hans', { [textId(before.template)]: '{all} 次中有 {count} 次迟到' });
    expect(said(before)).toBe('4 次中有 3 次迟到');
  });

  it('is English again as soon as that is chosen', async () => {
    await changeLanguage('en');
    expect(said(sentence)).toBe(sentence.text);
  });
});
