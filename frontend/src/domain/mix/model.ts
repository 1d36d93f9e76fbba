/**
 * A mix out of an access log: paths with their weights, and what answers them, in bounded memory. `ngxlab mix` makes
 * the same of the same log (`cli/ngxlab_cli/mix`); the cases of `cli/tests/mixes.json` hold for both.
 */
import { type Line, secondsOf } from './accessLog';
import { type Arrivals, addArrival, noArrivals } from './arrivals';
import { HASHES, hashOf } from './hashes';
import { type Popularity, popularityOf } from './popularity';
import { NUMBER, stripped } from './privatePaths';

/** Different requests that are counted at a time; where there are more, the rarer half is let go. */
const MOST_ENTRIES = 10_000;
/**
 * What stands for a number is counted exactly up to so many, and estimated beyond: within about 2 %. Once all requests
 * together have MOST_KEPT, within about 6 % beyond the fewest.
 */
const MOST_HASHES = 4096;
const FEWEST_HASHES = 256;
const MOST_KEPT = 500_000;
/** Of so many paths, the most frequent ones, Zipf's law is looked for. */
const MOST_LAWS = 10;

interface Entry {
  method: string;
  path: string;
  first: number;
  weight: number;
  bytes: number;
  sized: number;
  /** The smallest hashes of what `{n}` stands for, in order. */
  smallest: number[];
  /** How often each of these came. */
  came: Map<number, number>;
  /** There were others. */
  cut: boolean;
}

export interface Model {
  requests: number;
  unread: number;
  queries: number;
  hidden: number;
  letGo: number;
  firstTime: string;
  lastTime: string;
  entries: Map<string, Entry>;
  arrivals: Arrivals;
  /** Hashes of all entries. */
  kept: number;
}

export const emptyModel = (): Model => ({
  requests: 0,
  unread: 0,
  queries: 0,
  hidden: 0,
  letGo: 0,
  firstTime: '',
  lastTime: '',
  entries: new Map(),
  arrivals: noArrivals(),
  kept: 0,
});

/** `null`: a line that says nothing of a request. */
export function addLine(model: Model, line: Line | null): void {
  const found = line && stripped(line.uri);
  if (!line || !found) {
    model.unread += 1;
    return;
  }
  model.requests += 1;
  if (found.hadQuery) model.queries += 1;
  if (found.identity !== null) model.hidden += 1;
  if (model.firstTime === '' && secondsOf(line.time) !== null) model.firstTime = line.time;
  if (model.firstTime !== '' && line.time !== '') model.lastTime = line.time;
  addArrival(model.arrivals, line);
  const entry = entryOf(model, line.method, found.path);
  const before = entry.smallest.length;
  addTo(entry, line, found.identity, model.kept < MOST_KEPT ? MOST_HASHES : FEWEST_HASHES);
  model.kept += entry.smallest.length - before;
}

function entryOf(model: Model, method: string, path: string): Entry {
  const key = keyOf({ method, path });
  const known = model.entries.get(key);
  if (known) return known;
  if (model.entries.size >= MOST_ENTRIES) {
    const kept = mostOf(model, MOST_ENTRIES / 2);
    model.letGo += weightOf([...model.entries.values()]) - weightOf(kept);
    model.kept = kept.reduce((sum, { smallest }) => sum + smallest.length, 0);
    model.entries = new Map(kept.map((one) => [keyOf(one), one]));
  }
  const none = { weight: 0, bytes: 0, sized: 0, smallest: [], came: new Map(), cut: false };
  const entry = { method, path, first: model.requests, ...none };
  model.entries.set(key, entry);
  return entry;
}

/**
 * `most`: hashes that there is room for, unless there are more already. A sample that is cut stays as large as it is:
 * what would be added has not been counted from the beginning.
 */
function addTo(entry: Entry, { size, status }: Line, identity: string | null, most: number): void {
  entry.weight += 1;
  if (size !== null && status >= 200 && status <= 203) {
    entry.bytes += size;
    entry.sized += 1;
  }
  if (identity === null) return;
  const { smallest, came } = entry;
  const found = hashOf(identity);
  const before = came.get(found);
  if (before === undefined) {
    const last = smallest.at(-1) ?? 0;
    if (entry.cut || smallest.length >= most) {
      entry.cut = true;
      if (found > last) return;
      smallest.pop();
      came.delete(last);
    }
    smallest.splice(placeOfHash(smallest, found), 0, found);
  }
  came.set(found, (before ?? 0) + 1);
}

/** How many of them are smaller. */
function placeOfHash(smallest: readonly number[], found: number): number {
  let [low, high] = [0, smallest.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((smallest[middle] ?? 0) < found) low = middle + 1;
    else high = middle;
  }
  return low;
}

const weightOf = (entries: readonly Entry[]) => entries.reduce((sum, { weight }) => sum + weight, 0);

const mostOf = ({ entries }: Model, count: number) =>
  [...entries.values()]
    .sort((one, other) => other.weight - one.weight || one.first - other.first)
    .slice(0, count);

/** Requests a second, from the first to the last; `null` where times are missing or alike. */
export function rateOf({ firstTime, lastTime, requests }: Model): number | null {
  const [first, last] = [secondsOf(firstTime), secondsOf(lastTime)];
  return first === null || last === null || last <= first ? null : requests / (last - first);
}

export interface MixRequest {
  weight: number;
  path: string;
  method?: string;
  count?: number;
  draw?: 'zipf';
  exponent?: number;
}

/**
 * Parts of a definition. `answered`: requests of the log that the files answer; `kept`: those in the mix; `laws`: how
 * unequally numbers are asked for, by method and path.
 */
export interface Mix {
  requests: MixRequest[];
  files: { folder: string; count: number; size_bytes: number }[];
  server: string;
  kept: number;
  answered: number;
  laws: Map<string, Popularity>;
}

const OTHERS = [
  'root @@folder@@/files;',
  '# what no file answers',
  'if ($request_method !~ ^(GET|HEAD)$) { return 204; }',
  'location / { return 204; }',
];

/** `top`: how many requests are kept; `least`: those that are rarer are left out. */
export function mixOf(model: Model, { top, least }: { top: number; least: number }): Mix {
  const entries = mostOf(model, top).filter(({ weight }) => weight >= least);
  const answered = entries.filter(({ method, sized }) => method === 'GET' && sized > 0);
  const groups = [...new Set(answered.map(classOf))]
    .sort((one, other) => one - other)
    .map((size) => ({ folder: `mix-${size}`, group: answered.filter((one) => classOf(one) === size) }));
  const locations = groups.flatMap(({ folder, group }) =>
    group.map((one) => `location ${placeOf(one)} { try_files /${folder}/0 =404; }`),
  );
  const laws = lawsOf(entries);
  return {
    requests: entries.map((one) => requestOf(one, laws.get(keyOf(one)))),
    files: groups.map(({ folder, group }) => ({ folder, count: 1, size_bytes: fileSize(group) })),
    server: [...OTHERS, ...locations].join('\n'),
    kept: weightOf(entries),
    answered: weightOf(answered),
    laws,
  };
}

const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** How many numbers `{n}` stands for. */
function countOf({ smallest, cut }: Entry): number {
  if (!cut) return smallest.length;
  return Math.floor(((smallest.length - 1) * HASHES) / ((smallest.at(-1) ?? 0) + 1));
}

function lawsOf(entries: readonly Entry[]): Map<string, Popularity> {
  const numbered = entries.filter(({ path }) => path.includes(NUMBER)).slice(0, MOST_LAWS);
  return new Map(
    numbered.flatMap((one) => {
      const { weight: requests, cut: isCut } = one;
      const law = popularityOf({ came: [...one.came.values()], requests, distinct: countOf(one), isCut });
      return law ? [[keyOf(one), law] as const] : [];
    }),
  );
}

function requestOf(entry: Entry, law: Popularity | undefined): MixRequest {
  const { weight, path, method } = entry;
  const said = { weight, path, ...(method === 'GET' ? {} : { method }) };
  if (law)
    return { ...said, count: law.count, draw: 'zipf', exponent: Math.floor(100 * law.exponent + 0.5) / 100 };
  return path.includes(NUMBER) ? { ...said, count: Math.max(1, Math.min(countOf(entry), 1e10)) } : said;
}

const meanOf = (sum: number, count: number) => Math.floor((2 * sum + count) / (2 * count));

/** The next power of two, or one and a half times one: a file is at most so much larger than the response. */
function classOf({ bytes: sum, sized }: Entry): number {
  let bound = 256;
  while (bound < meanOf(sum, sized))
    bound = Number.isInteger(Math.log2(bound)) ? bound * 1.5 : (bound / 3) * 4;
  return bound;
}

function fileSize(group: readonly Entry[]): number {
  const sum = group.reduce((total, one) => total + one.bytes, 0);
  const count = group.reduce((total, one) => total + one.sized, 0);
  return Math.min(2 ** 30, meanOf(sum, count));
}

/** The name of nginx's location. */
function placeOf({ path }: Entry): string {
  if (!path.includes(NUMBER)) return `= ${path}`;
  const [before, after] = path.split(NUMBER).map((part) => part.replaceAll(/[^A-Za-z0-9/_-]/g, '\\$&'));
  return `~ ^${before}[0-9]+${after}$`;
}
