/** The table of a factor: a row for each level, a column for each variable that its levels set. */
import { t } from '@lingui/core/macro';
import type { Draft, DraftFactor, DraftLevel } from './draft/draft';
import { keysOf, type Scalar, scalarOf, slug, uniqueKey } from './draft/values';
import { type Naming, nameFor, nextLevel, renameFactor, withLevels } from './structure';

/** By name, in the order in which levels set them. */
export function variablesOf({ levels }: DraftFactor): string[] {
  return [...new Set(levels.flatMap(({ variables }) => variables.map(({ name }) => name)))];
}

/** What a level sets a variable to; `undefined` where it does not set it. */
export const levelValue = (level: DraftLevel | undefined, name: string): Scalar | undefined =>
  level?.variables.find((pair) => pair.name === name)?.value;

function set(level: DraftLevel, name: string, value: Scalar): DraftLevel {
  const isSet = levelValue(level, name) !== undefined;
  const changed = level.variables.map((pair) => (pair.name === name ? { name, value } : pair));
  return { ...level, variables: isSet ? changed : [...level.variables, { name, value }] };
}

/** The levels of the factor at a place, whose keys stay. */
function withValues(draft: Draft, factor: number, change: (level: DraftLevel, place: number) => DraftLevel) {
  const factors = draft.factors.map((own, place) =>
    place === factor ? { ...own, levels: own.levels.map(change) } : own,
  );
  return { ...draft, factors };
}

export const withVariable = (draft: Draft, factor: number, row: number, name: string, value: Scalar): Draft =>
  withValues(draft, factor, (level, place) => (place === row ? set(level, name, value) : level));

/** A name that no variable of the experiment has. */
function freeName(draft: Draft, factor: DraftFactor): string {
  const taken = draft.factors.flatMap(variablesOf);
  return nameFor(uniqueKey(nameFor(factor.key) || 'value', taken));
}

/** All levels set a new variable, to nothing yet. */
export function addVariable(draft: Draft, factor: number): Draft {
  const own = draft.factors[factor];
  if (!own) return draft;
  const name = freeName(draft, own);
  return withValues(draft, factor, (level) => set(level, name, ''));
}

export const removeVariable = (draft: Draft, factor: number, name: string): Draft =>
  withValues(draft, factor, (level) => ({
    ...level,
    variables: level.variables.filter((pair) => pair.name !== name),
  }));

const EXPRESSION = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
/** Texts within an expression, and the name; a function of that name is none. */
const partsOf = (name: string) => new RegExp(`"[^"]*"|'[^']*'|(?<![\\w.])${name}(?!\\w|\\s*\\()`, 'g');
/** Words of expressions themselves. */
export const RESERVED = new Set(
  'and else elif endfor endif endset false for if in is loop none not or set true'.split(' '),
);

/** What may use variables. */
function usersOf({
  name: _n,
  question: _q,
  factors: _f,
  baseline: _b,
  design: _d,
  thresholds: _t,
  ...users
}: Draft) {
  return users;
}

function withTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one, change)])) as T;
}

/** The variable under another name, also where it is used, unless another factor goes on setting it. */
export function renameVariable(draft: Draft, factor: number, name: string, next: string): Draft {
  const renamed = withValues(draft, factor, (level) => ({
    ...level,
    variables: level.variables.map((pair) => (pair.name === name ? { ...pair, name: next } : pair)),
  }));
  const isShared = renamed.factors.some((other) => variablesOf(other).includes(name));
  if (isShared || name === '' || RESERVED.has(name)) return renamed;
  const rename = (text: string) =>
    text.replace(EXPRESSION, (expression) =>
      expression.replace(partsOf(name), (part) => (part === name ? next : part)),
    );
  return { ...renamed, ...withTexts(usersOf(renamed), rename) };
}

/** The factor under another name or key; a variable that was called after it and is not used yet goes with it. */
export function renameFactorWithVariable(draft: Draft, index: number, naming: Naming): Draft {
  const renamed = renameFactor(draft, index, naming);
  const [was = '', now = ''] = [draft, renamed].map(({ factors }) => nameFor(factors[index]?.key ?? ''));
  const all = renamed.factors.flatMap(variablesOf);
  const follows = now !== '' && !all.includes(now) && all.includes(was) && !isUsed(renamed, was);
  return follows ? renameVariable(renamed, index, was, now) : renamed;
}

/** Whether any expression of the experiment names the variable. */
export function isUsed(draft: Draft, name: string): boolean {
  let isFound = false;
  withTexts(usersOf(draft), (text) => {
    for (const [expression] of text.matchAll(EXPRESSION))
      isFound ||= expression.match(partsOf(name))?.includes(name) ?? false;
    return text;
  });
  return isFound;
}

export type Fragment = 'main' | 'events' | 'http' | 'server';
const DIRECTIVES: readonly (readonly [Fragment, RegExp])[] = [
  ['main', /^\s*(worker_(?!connections|aio)|thread_pool|pcre_jit|timer_resolution|load_module)/],
  ['events', /^\s*(accept_mutex|multi_accept|worker_aio_requests|use\s)/],
  [
    'http',
    /^\s*(upstream|map|geo|split_clients|log_format|server_names_hash|variables_hash|types_hash|\w+_zone\s|\w+_path\s\S+\s+\S*keys_zone|proxy_cache_path)/,
  ],
];

/** Where directives of levels belong; `null` where they are values, which do not stand by themselves. */
export function fragmentFor({ levels }: DraftFactor, name: string): Fragment | null {
  const texts = levels.map((level) => String(levelValue(level, name) ?? ''));
  if (!texts.some((text) => /[;}]\s*$/.test(text))) return null;
  return DIRECTIVES.find(([, directive]) => texts.some((text) => directive.test(text)))?.[0] ?? 'server';
}

/** The variable in a line of its own at the end of a fragment. */
export function withInserted(draft: Draft, fragment: Fragment, name: string): Draft {
  const text = String(draft.nginx[fragment] ?? '').trimEnd();
  return { ...draft, nginx: { ...draft.nginx, [fragment]: `${text}${text && '\n'}{{ ${name} }}\n` } };
}

/** What cells of a spreadsheet contain, row by row; `null` for a text that is none. `html`: as spreadsheets put it. */
export function gridOf(text: string, html: string): string[][] | null {
  if (/<table/i.test(html)) {
    const page = new DOMParser().parseFromString(html.replaceAll(/<br[^>]*>/gi, '\n'), 'text/html');
    const rows = [...page.querySelectorAll('tr')].map((row) =>
      [...row.querySelectorAll('td, th')].map((cell) => (cell.textContent ?? '').trim()),
    );
    if (rows.some((row) => row.length > 0))
      return rows.length > 1 || (rows[0]?.length ?? 0) > 1 ? rows : null;
  }
  const rows = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\t'));
  const width = rows[0]?.length ?? 0;
  const isConfiguration = rows.flat().some((cell) => /[;{}]\s*$/.test(cell));
  const isGrid = width > 1 && rows.every((row) => row.length === width && row[0] !== '');
  return isGrid && !isConfiguration ? rows : null;
}

/** The grid in cells from a level and a column on: column -1 is the level's name. Further rows are new levels. */
export function withGrid(
  draft: Draft,
  factor: number,
  row: number,
  column: number,
  grid: readonly string[][],
): Draft {
  let next = draft;
  const count = () => next.factors[factor]?.levels.length ?? 0;
  while (count() < row + grid.length)
    next = withLevels(next, factor, (levels) => [...levels, nextLevel(levels)]);
  const width = Math.max(...grid.map((cells) => cells.length));
  const columns = () => variablesOf(next.factors[factor] as DraftFactor);
  while (columns().length < column + width) next = addVariable(next, factor);
  const names = columns();
  for (const [down, cells] of grid.entries())
    for (const [right, text] of cells.entries()) {
      const name = names[column + right];
      next =
        name === undefined
          ? labelled(next, factor, row + down, text)
          : withVariable(next, factor, row + down, name, scalarOf(text));
    }
  return next;
}

function labelled(draft: Draft, factor: number, row: number, label: string): Draft {
  return withLevels(draft, factor, (levels) => {
    const taken = keysOf(levels.filter((_, place) => place !== row));
    return levels.map((level, place) =>
      place === row && label ? { ...level, label, key: uniqueKey(slug(label) || level.key, taken) } : level,
    );
  });
}

const LONGEST_LABEL = 40;
const partsOfValue = (name: string, value: Scalar | undefined) => {
  const text = String(value ?? '').trim();
  return /[;\n{]/.test(text) ? text.split(/[;\n{]/).map((part) => part.trim()) : [text && `${name} ${text}`];
};

/** A level that nobody has named yet is called after what it alone sets; `null` where nothing says so in short. */
export function labelFrom({ levels }: DraftFactor, index: number, name: string): string | null {
  const number = index + 1;
  if (levels[index]?.label !== t`Level ${number}`) return null;
  const parts = levels.map((level) => partsOfValue(name, levelValue(level, name)));
  const others = parts.flatMap((own, place) => (place === index ? [] : own));
  const found = parts[index]?.find((part) => part && !others.includes(part)) ?? '';
  return found && found.length <= LONGEST_LABEL ? found : null;
}
