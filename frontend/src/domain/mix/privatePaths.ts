/**
 * What of a path may leave the browser: no query, and numbers in the place of whatever looks personal or secret.
 * `ngxlab mix` strips paths alike (`cli/ngxlab_cli/mix/private_paths.py`); `cli/tests/mixes.json` holds for both.
 */
import { NAME, SHAPES } from '../secrets';

export const NUMBER = '{n}';
const MOST_SEGMENTS = 20;
const LONGEST_SEGMENT = 60;
/** What a path, an nginx map and a YAML document all hold as it is. */
const SAFE = /^[A-Za-z0-9._!&()*+,:@~=-]+$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const DIGITS = /^\d+$|\d{4}|\d+\.\d+\.\d+\.\d+/;
const KIND =
  /\.(html?|css|m?js|json|xml|txt|jpe?g|png|gif|webp|avif|svg|ico|woff2?|ttf|pdf|mp[34]|webm|zip|gz|php)$/;
/** What follows one of these says who, or what somebody looks for. */
const ABOUT_SOMEBODY = new Set(
  `account accounts activate activation author authors client clients confirm contact contacts customer customers
  email employee employees find friend friends from id invitation invite invites mail member
  members message messages name names patient patients people person phone profile profiles q query recover reset
  search share shared student students to u unsubscribe user users verify who`.split(/\s+/),
);

/** `path`: with `{n}` once at most. `identity`: what it stands for, which never leaves; `null` where nothing was taken out. */
export interface Stripped {
  path: string;
  identity: string | null;
  hadQuery: boolean;
}

/** `null`: it is no path of a server. */
export function stripped(asked: string): Stripped | null {
  const scheme = asked.slice(0, 10).includes('://') ? asked.indexOf('://') : -1;
  const behind = asked.slice(scheme + 3);
  const host = behind.indexOf('/');
  const uri = scheme < 0 ? asked : `/${host < 0 ? '' : behind.slice(host + 1)}`;
  if (!uri.startsWith('/')) return null;
  const end = uri.search(/[?#]/);
  const all = (end < 0 ? uri : uri.slice(0, end)).split('/').slice(1);
  const segments = all
    .map((part) => part.replace(/;[\s\S]*/, ''))
    .filter((part, at, { length }) => part || at === length - 1);
  const { kept, last } = keptOf(segments);
  if (last !== null) kept[last] = NUMBER + (KIND.exec(segments[last] ?? '')?.[0] ?? '');
  return {
    path: `/${kept.join('/')}`,
    identity: last === null ? null : segments.join('/'),
    hadQuery: end >= 0,
  };
}

/** The segments, `_` for those that are taken out, and the place of the last of these. */
function keptOf(segments: readonly string[]) {
  const kept: string[] = [];
  let last: number | null = null;
  let before = '';
  for (const [place, segment] of segments.slice(0, MOST_SEGMENTS).entries()) {
    const plain = plainOf(segment);
    const hidden = segment !== '' && isPrivate(segment, plain, before);
    kept.push(hidden ? '_' : segment);
    if (hidden) last = place;
    before = plain;
  }
  if (segments.length > MOST_SEGMENTS) {
    kept.push('_');
    last = MOST_SEGMENTS;
  }
  return { kept, last };
}

/** Without escapes, even where they were escaped again. */
function plainOf(segment: string): string {
  let plain = segment;
  for (let round = 0; round < 3; round += 1)
    plain = plain.replaceAll(/%([0-9A-Fa-f]{2})|\\x([0-9A-Fa-f]{2})/g, (_, one, other) =>
      String.fromCharCode(Number.parseInt(one ?? other, 16)),
    );
  return plain;
}

/** Whether a segment looks personal or secret: an address, a number, a token, or what a word before it names. */
function isPrivate(segment: string, plain: string, before: string): boolean {
  if (plain.length > LONGEST_SEGMENT || !SAFE.test(segment) || plain === '.' || plain === '..') return true;
  if (/[@=]/.test(plain) || plain.startsWith('~') || plain.split(':').length > 2) return true;
  if (ABOUT_SOMEBODY.has(before.toLowerCase()) || NAME.test(before)) return true;
  const named = NAME.exec(plain);
  if (named && named.index + named[0].length < plain.length) return true;
  if (DIGITS.test(plain) || UUID.test(plain)) return true;
  if (SHAPES.some(([shape, put]) => plain.replace(shape, put) !== plain)) return true;
  return (plain.match(/[A-Za-z0-9_+]{5,}/g) ?? []).some(isToken);
}

const countOf = (text: string, what: RegExp) => text.match(what)?.length ?? 0;

/** Letters and digits as no word has them. */
function isToken(run: string): boolean {
  if (/\d/.test(run) && /[A-Za-z]/.test(run) && (run.length >= 10 || /[A-Z]/.test(run))) return true;
  const changes = countOf(run, /\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return changes > 2 || countOf(run, /[a-z](?=[A-Z])/g) > 3 || run.length >= 20;
}
