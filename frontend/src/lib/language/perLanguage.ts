import { currentLanguage, type Language } from './language';

/** What is made once for each language, when it is first asked for. */
export function perLanguage<T>(make: (language: Language) => T): () => T {
  const made = new Map<Language, T>();
  return () => {
    const language = currentLanguage();
    const known = made.get(language);
    if (known !== undefined) return known;
    const fresh = make(language);
    made.set(language, fresh);
    return fresh;
  };
}
