import { t } from '@lingui/core/macro';
import type { RecipeSummary } from '@/api/generated';

/** What questions are about, for people. */
export const kindNames = (): Record<RecipeSummary['kind'], string> => ({
  compression: t`Compression`,
  connections: t({ message: 'Connections', context: 'what a question is about' }),
  'upstream servers': t`Upstream servers`,
  caching: t`Caching`,
  files: t`Files`,
  TLS: 'TLS',
  limits: t`Limits`,
  workers: t`Worker processes`,
  configuration: t`Configuration`,
});

/** Those that have every word somewhere, in English or, by `said`, in the reader's language. */
export function recipesAbout(
  recipes: readonly RecipeSummary[],
  search: string,
  said: (text: string) => string,
): RecipeSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return recipes.filter(({ key, title, question, expectation, kind, words: own }) => {
    const texts = [title, question, expectation];
    const all = [key, kindNames()[kind], kind, ...own, ...texts, ...texts.map(said)].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
