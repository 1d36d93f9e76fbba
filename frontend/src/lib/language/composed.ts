import { i18n } from '@lingui/core';
import { textId } from './textId';

// Sentences that the server composes with values: `12 of 40 trials were late`. A catalog has their templates,
// `{0} of {1} trials were late`, which are read from the server's own code (`scripts/composed_texts.py`). The one that
// a sentence was made of is found again, and what stands in it is said likewise. What is not found stays English, whole.

/** Where a value stands in a template: after and before these letters. */
interface Place {
  before: string;
  after: string;
  /** A name, which is the same in all languages. */
  isQuoted: boolean;
  /** It may be a part of a sentence of its own: what stands beside it is a sign, not a word. */
  isClause: boolean;
  /** What follows it are words: it ends where they are first. */
  isOnce: boolean;
}

interface Template {
  places: Place[];
  rank: number;
  /** It hardly says anything itself and fits much that was not made of it: its values must be known, or figures. */
  isLoose: boolean;
  translation: string;
}

const PLACE = /\{\d+\}/;
const WORD = /[a-z]{3,}|=/gi;
const NAMES = /`[^`]*`/g;
const FIGURE = /^[^\sa-z]*\d[^\sa-z]*x?(?: ?[\w%µ/]+)?$/i;
const NAME = /^\S+(?:: [\d.,]+| \(\S+\))?$/;
/** What joins parts of a sentence. */
const JOINT = /[.:;] /;
const LIST = /, /;
const QUOTES = ['`', '"'];
/** Longer texts are taken sentence by sentence. */
const LONGEST = 400;

/** How many parts of a sentence are looked at before it stays English: most take a few dozen. */
const MOST_PARTS = 1000;
let parts = 0;
let depth = 0;

let templates: Template[] | null = null;
const known = new Map<string, string | undefined>();
i18n.on('change', () => {
  templates = null;
  known.clear();
});

function templateOf([english, translation]: [string, unknown]): Template {
  const literals = english.split(PLACE);
  const words = literals.join(' ').replace(NAMES, '').match(WORD) ?? [];
  return {
    places: literals.slice(0, -1).map((before, index) => placeBetween(before, literals[index + 1] ?? '')),
    // Of a sentence that ends with a full stop, the stop is taken off before its last value is.
    rank: literals.join('').length + (english.endsWith('.') ? 1000 : 0),
    isLoose: words.length < 2,
    translation: String(translation),
  };
}

const placeBetween = (before: string, after: string): Place => ({
  before,
  after,
  isQuoted: QUOTES.some((quote) => before.endsWith(quote) && after.startsWith(quote)),
  isOnce: /[a-z]{3,}/i.test(after),
  isClause: /(?:^|[.:;,(]) ?$/.test(before) && /^(?:$|[.:;,)]| \()/.test(after),
});

/** The most particular first. Their keys in a catalog are themselves. */
const allTemplates = () =>
  Object.entries(i18n.messages)
    .filter(([english]) => PLACE.test(english))
    .map(templateOf)
    .sort((one, other) => other.rank - one.rank);

/** Names, figures and lists of them, which are alike in all languages. */
const isPlain = (value: string, onlyFigures: boolean) =>
  value
    .replace(NAMES, '`')
    .split(', ')
    .every((one) => one === '`' || FIGURE.test(one) || (!onlyFigures && NAME.test(one)));

const count = (text: string, sign: string) => text.split(sign).length - 1;

/** Whether it can stand there: no half of a name or of what stands in brackets, and no more than a part of a sentence. */
function fits(value: string, { isClause, isQuoted, after }: Place, lists: boolean): boolean {
  if (isQuoted) return !value.includes(after.charAt(0));
  const rest = value.replace(NAMES, '').replace(/^[,:;] /, '');
  return (
    !rest.includes('`') &&
    count(rest, '"') % 2 === 0 &&
    count(rest, '(') === count(rest, ')') &&
    (isClause || !(JOINT.test(rest) || (!lists && LIST.test(rest))))
  );
}

function saidAt(value: string, place: Place, isLoose: boolean): string | undefined {
  if (value === '' || place.isQuoted) return value;
  return composed(value) ?? (isPlain(value, isLoose && !place.isClause) ? value : undefined);
}

/** A value as it stands in a sentence, and as it is said. */
type Value = [value: string, said: string];

/** What was made of a template, in the reader's language, if `text` was. `lists`: its values may be lists. */
function valuesOf({ places, isLoose }: Template, text: string, lists: boolean): Value[] | undefined {
  function from(begin: number, index: number): Value[] | undefined {
    const place = places[index];
    if (!place) return [];
    const isLast = index === places.length - 1;
    if (isLast && !text.endsWith(place.after)) return undefined;
    let end = isLast ? text.length - place.after.length : text.indexOf(place.after, begin);
    for (; end >= begin && parts <= MOST_PARTS; end = isLast ? -1 : text.indexOf(place.after, end + 1)) {
      const value = text.slice(begin, end);
      const said = fits(value, place, lists) ? saidAt(value, place, isLoose) : undefined;
      const rest = said === undefined ? undefined : from(end + place.after.length, index + 1);
      if (said !== undefined && rest) return [[value, said], ...rest];
      if (place.isOnce) break;
      parts++;
    }
    return undefined;
  }
  const first = places[0]?.before ?? '';
  const values = text.startsWith(first) ? from(first.length, 0) : undefined;
  return values && isLoose && values.every(isUnknown) ? undefined : values;
}

/** A name, or a word that nobody has translated. Nothing is known of what stands beside such a one only. */
const isUnknown = ([value]: Value) => composed(value) === undefined && !isPlain(value, true);

const NEEDLESS =
  /`[^`]*`|(?<=\p{Script=Han}) +(?=\p{Script=Han})|(?<=[，。：；？！（）、]) +| +(?=[，。：；？！（）、])/gu;
const MISSING = /`[^`]*`|(?<=\p{Script=Han})(?=[\w+−])|(?<=[\w%])(?=\p{Script=Han})/gu;

/** A blank between Chinese and Latin letters or figures, none beside Chinese signs or between two of its letters. */
const spaced = (text: string): string =>
  text
    .replace(NEEDLESS, (found) => (found.startsWith('`') ? found : ''))
    .replace(MISSING, (found) => found || ' ');

/** Whether all that it says itself is there, in its order. */
function isPossible({ places }: Template, text: string): boolean {
  let from = 0;
  return places.every(({ before, after }, index) => {
    if (index === 0) from = text.startsWith(before) ? before.length : -1;
    const next = from < 0 ? -1 : text.indexOf(after, from);
    from = next < 0 ? -1 : next + after.length;
    return next >= 0;
  });
}

function byTemplate(text: string): string | undefined {
  templates ??= allTemplates();
  const possible = templates.filter((template) => isPossible(template, text));
  for (const lists of text.includes(', ') ? [false, true] : [false])
    for (const template of possible) {
      const values = valuesOf(template, text, lists);
      if (parts > MOST_PARTS) return undefined;
      if (values)
        return template.translation.replace(/\{(\d+)\}/g, (_, index) => values[Number(index)]?.[1] ?? '');
    }
  return undefined;
}

/** Several sentences, one after the other. */
function bySentences(text: string): string | undefined {
  for (let end = text.indexOf('. '); end > 0; end = text.indexOf('. ', end + 1)) {
    const first = composed(text.slice(0, end + 1));
    if (!first) continue;
    parts = 0;
    const rest = composed(text.slice(end + 2));
    if (rest) return `${first}${rest}`;
  }
  return undefined;
}

/** A fixed text, whatever its first letter: it may stand within a sentence. */
function fixed(text: string): string | undefined {
  const [first = ''] = text;
  const changed = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
  const found = i18n.messages[textId(text)] ?? i18n.messages[textId(changed + text.slice(1))];
  return typeof found === 'string' ? found : undefined;
}

function found(text: string): string | undefined {
  if (++parts > MOST_PARTS) return undefined;
  return fixed(text) ?? bySentences(text) ?? (text.length <= LONGEST ? byTemplate(text) : undefined);
}

/** In the reader's language; none in English, and for what was not made of known templates. */
export function composed(untrimmed: string): string | undefined {
  const text = untrimmed.trim();
  if (known.has(text)) return known.get(text);
  if (depth++ === 0) parts = 0;
  const translated = found(text);
  depth--;
  const said = translated && spaced(translated);
  if (depth === 0 || parts <= MOST_PARTS) known.set(text, said);
  return said;
}
