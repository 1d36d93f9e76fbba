import type { Messages } from '@lingui/core';
import type { Language } from '@/lib/language/language';

type Loaders = Record<string, () => Promise<Messages>>;

// Vite reads these words, so that each catalog is a file of its own.
const LOADERS: Record<Language, Loaders> = {
  en: import.meta.glob('../texts/zh-Hans/*.po', { import: 'messages', query: '?source' }) as Loaders,
  'zh-Hans': {
    ...(import.meta.glob('../texts/zh-Hans/*.po', { import: 'messages' }) as Loaders),
    ...(import.meta.glob('../texts/zh-Hans/server/*.po', {
      import: 'messages',
      query: '?server',
    }) as Loaders),
  },
};

/** A catalog in a language, as a file that arrives when it is needed. None for a part without texts. */
export const textsOnServer = async (catalog: string, language: Language): Promise<Messages> =>
  (await LOADERS[language][`../texts/zh-Hans/${catalog}.po`]?.()) ?? {};
