import type { Messages } from '@lingui/core';
import type { Language } from '@/lib/language/language';

type Found = Record<string, Messages>;

// Vite reads these words: the file has the texts of its page in every language.
const TEXTS: Record<Language, Found> = {
  en: import.meta.glob('../../texts/zh-Hans/{app,shared,reports}.po', {
    import: 'messages',
    query: '?source',
    eager: true,
  }) as Found,
  'zh-Hans': {
    ...(import.meta.glob('../../texts/zh-Hans/{app,shared,reports}.po', {
      import: 'messages',
      eager: true,
    }) as Found),
    ...(import.meta.glob('../../texts/zh-Hans/server/results.po', {
      import: 'messages',
      query: '?server',
      eager: true,
    }) as Found),
  },
};

export const textsInFile = async (catalog: string, language: Language): Promise<Messages> =>
  TEXTS[language][`../../texts/zh-Hans/${catalog}.po`] ?? {};
