import { i18n } from '@lingui/core';
import { useSyncExternalStore } from 'react';

/** The languages of the pages, each named in itself. English is that of the sources. */
export const LANGUAGES = { en: 'English', 'zh-Hans': '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

export const ALL_LANGUAGES = Object.keys(LANGUAGES) as Language[];

/** Who reads traditional characters is not taken for a reader of simplified ones. */
const READS: Record<Language, RegExp> = { en: /^en\b/i, 'zh-Hans': /^zh\b(?!-(hant|tw|hk|mo)\b)/i };

const STORED = 'ngxlab.language';

/** A browser may refuse to keep anything for a page, as in a sandboxed frame. */
function stored(): string[] {
  try {
    const tag = localStorage.getItem(STORED);
    return tag ? [tag] : [];
  } catch {
    return [];
  }
}

function store(language: Language): void {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // It is chosen until the page is left.
  }
}

/** What the reader has chosen, else the first language of the browser that there is, else English. */
export function preferredLanguage(): Language {
  for (const tag of [...stored(), ...navigator.languages])
    for (const language of ALL_LANGUAGES) if (READS[language].test(tag)) return language;
  return 'en';
}

export const hasChoice = () => stored().length > 0;

export const currentLanguage = () => i18n.locale as Language;

const subscribe = (onChange: () => void) => i18n.on('change', onChange);

/** The language of the page. What is below is made anew where it changes (`Providers`): texts need no hook. */
export const useLanguage = () => useSyncExternalStore(subscribe, currentLanguage);

/** What is made once for each language, when it is first asked for. */
export function perLanguage<T>(make: (language: Language) => T): () => T {
  const made = new Map<Language, T>();
  return () => {
    const language = currentLanguage();
    const known = made.get(language) ?? make(language);
    made.set(language, known);
    return known;
  };
}

export function speak(language: Language): void {
  i18n.activate(language);
  document.documentElement.lang = language;
}

export function choose(language: Language): void {
  store(language);
  speak(language);
}
