import { i18n, type Messages } from '@lingui/core';
import { choose, currentLanguage, hasChoice, type Language, preferredLanguage, speak } from './language';

/** Where the texts of a catalog are (`lingui.config.ts`). */
type Source = (catalog: string, language: Language) => Promise<Messages>;

let source: Source | null = null;
let begun = Promise.resolve();
const needed = new Set<string>();

async function fetchTexts(catalogs: Iterable<string>, language: Language): Promise<void> {
  if (!source) return; // as in tests, whose texts are those of the code
  const fetched = await Promise.all([...catalogs].map((catalog) => source?.(catalog, language)));
  for (const messages of fetched) if (messages) i18n.load(language, messages);
}

/** The texts of these catalogs, before what has them is drawn. */
export function loadTexts(...catalogs: string[]): Promise<void> {
  for (const catalog of catalogs) needed.add(catalog);
  return fetchTexts(catalogs, currentLanguage() || preferredLanguage());
}

async function begin(from: Source, catalogs: string[]): Promise<void> {
  source = from;
  for (const catalog of catalogs) needed.add(catalog);
  const language = preferredLanguage();
  await fetchTexts(catalogs, language);
  speak(language);
}

/** Before anything is drawn: the language, and the texts that every page needs. */
export function beginTexts(from: Source, ...catalogs: string[]): Promise<void> {
  begun = begin(from, catalogs);
  return begun;
}

/** Everything that was loaded so far is there in the new language before it is spoken. */
export async function changeLanguage(language: Language): Promise<void> {
  await fetchTexts(needed, language);
  choose(language);
}

/** What the reader chose elsewhere, unless something was chosen in this browser. */
export async function followLanguage(language: Language): Promise<void> {
  await begun;
  if (hasChoice() || language === currentLanguage()) return;
  await fetchTexts(needed, language);
  speak(language);
}
