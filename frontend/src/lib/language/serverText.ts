import { i18n } from '@lingui/core';
import { composed } from './composed';
import { textId } from './textId';

/** What the server says in the reader's language; none in English, and for what no catalog has. */
export function translation(text: string): string | undefined {
  const known = i18n.messages[textId(text)];
  return typeof known === 'string' ? known : composed(text);
}

/** The same where only a string will do: in English where there is no translation. */
export const said = (text: string): string => translation(text) ?? text;

/** That of what `said` gives: none where it is that of the page. */
export const languageOf = (text: string): 'en' | undefined =>
  translation(text) === undefined ? 'en' : undefined;
