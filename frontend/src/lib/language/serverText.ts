import { i18n } from '@lingui/core';
import { textId } from './textId';

/** A sentence with values: names, numbers as they are written, and parts that are sentences themselves. */
interface Sentence {
  text: string;
  template: string;
  values: { [place: string]: string | { text: string; number: number; unit: string } | Sentence };
}

/** What the server says: a fixed text, or a template with its values. Its English is there in both. */
export type Said = string | Sentence;

export const english = (said: Said): string => (typeof said === 'string' ? said : said.text);

const PLACE = /\{(\w+)\}/g;
const WORD = /[a-z]/i;
const NEEDLESS =
  /`[^`]*`|(?<=\p{Script=Han}) +(?=\p{Script=Han})|(?<=[，。：；？！（）、]) +| +(?=[，。：；？！（）、])/gu;
const MISSING = /`[^`]*`|(?<=\p{Script=Han})(?=[\w+−])|(?<=[\w%])(?=\p{Script=Han})/gu;

/** A blank between Chinese and Latin letters or figures, none beside Chinese signs or between two of its letters. */
const spaced = (text: string): string =>
  text
    .replace(NEEDLESS, (found) => (found.startsWith('`') ? found : ''))
    .replace(MISSING, (found) => found || ' ');

function looked(text: string): string | undefined {
  const found = i18n.messages[textId(text)];
  return typeof found === 'string' && found ? found : undefined;
}

/** The translation of a fixed text or a template, whatever its first letter or its stop: it may stand in a sentence. */
function known(untrimmed: string): string | undefined {
  const text = untrimmed.trim();
  const [first = ''] = text;
  const changed = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
  const found = looked(text) ?? looked(changed + text.slice(1)) ?? looked(`${text}.`)?.replace(/。$/, '');
  if (found === undefined) return WORD.test(text.replace(PLACE, '')) ? undefined : untrimmed;
  return untrimmed === text ? found : ` ${found} `;
}

/** Names and numbers are alike in all languages; a part that is a sentence has its own translation. */
function filled({ template, values }: Sentence): string | undefined {
  const translated = known(template);
  if (translated === undefined) return undefined;
  const parts = Object.entries(values).map(([place, value]) => [place, partOf(value)] as const);
  if (parts.some(([, part]) => part === undefined)) return undefined;
  const said = new Map(parts);
  return translated.replace(PLACE, (_, place: string) => said.get(place) ?? '');
}

const partOf = (value: Sentence['values'][string]): string | undefined =>
  typeof value === 'string' ? named(value) : 'template' in value ? filled(value) : value.text;

/** What ngxlab calls the arm of an experiment without factors: the one name of an arm that is its own. */
export const THE_ONLY_ARM = 'the only arm';

/** The label of an arm. Those that people give are alike in all languages. */
export const named = (label: string): string => (label === THE_ONLY_ARM ? (looked(label) ?? label) : label);

/** What the server says in the reader's language; none in English, and for what no catalog has, as a whole. */
export function translation(said: Said): string | undefined {
  if (i18n.locale === 'en') return undefined;
  if (typeof said === 'string') return looked(said);
  const text = filled(said);
  return text === undefined ? undefined : spaced(text).trim();
}

/** The same where only a string will do: in English where there is no translation. */
export const said = (text: Said): string => translation(text) ?? english(text);

/** That of what `said` gives: none where it is that of the page. */
export const languageOf = (text: Said): 'en' | undefined =>
  translation(text) === undefined ? 'en' : undefined;
