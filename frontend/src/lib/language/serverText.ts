import { i18n } from '@lingui/core';
import { textId } from './textId';

/** A fixed text of the server in the reader's language; none in English, and for what the server composes. */
export function translation(text: string): string | undefined {
  const known = i18n.messages[textId(text)];
  return typeof known === 'string' ? known : undefined;
}

/** The same where only a string will do: in English where there is no translation. */
export const said = (text: string): string => translation(text) ?? text;

/** That of what `said` gives: none where it is that of the page. */
export const languageOf = (text: string): 'en' | undefined =>
  translation(text) === undefined ? 'en' : undefined;
