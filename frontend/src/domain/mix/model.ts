/**
 * A mix out of an access log: paths with their weights, and what answers them, in bounded memory. `ngxlab mix` makes
 * the same of the same log (`cli/ngxlab_cli/mix`); the cases of `cli/tests/mixes.json` hold for both.
 */
import { type Line, secondsOf } from './accessLog';
import { type Arrivals, addArrival, noArrivals } from './arrivals';
import { HASHES, hashOf } from './hashes';
import { NUMBER, stripped } from './privatePaths';

/** Different requests that are counted at a time; where there are more, the rarer half is let go. */
const MOST_ENTRIES = 10_000;
/** What stands for a number is counted exactly up to so many, and estimated beyond: within about 6 %. */
const MOST_HASHES = 256;

interface Entry {
  method: string;
  path: string;
  first: number;
  weight: number;
  bytes: number;
  sized: number;
  /** The smallest hashes of what `{n}` stands for, in order. */
  smallest: number[];
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
  addTo(entryOf(model, line.method, found.path), line, found.identity);
}

function entryOf(model: Model, method: string, path: string): Entry {
  const key = `${method} ${path}`;
  const known = model.entries.get(key);
  if (known) return known;
  if (model.entries.size >= MOST_ENTRIES) {
    const kept = mostOf(model, MOST_ENTRIES / 2);
    model.letGo += weightOf([...model.entries.values()]) - weightOf(kept);
    model.entries = new Map(kept.map((one) => [`${one.method} ${one.path}`, one]));
  }
  const entry = { method, path, first: model.requests, weight: 0, bytes: 0, sized: 0, smallest: [] };
  model.entries.set(key, entry);
  return entry;
}

function addTo(entry: Entry, { size, status }: Line, identity: string | null): void {
  entry.weight += 1;
  if (size !== null && status >= 200 && status <= 203) {
    entry.bytes += size;
    entry.sized += 1;
  }
  if (identity === null) return;
  const { smallest } = entry;
  const found = hashOf(identity);
  const isFull = smallest.length >= MOST_HASHES;
  if ((isFull && found >= (smallest.at(-1) ?? 0)) || smallest.includes(found)) return;
  const place = smallest.findIndex((one) => one > found);
  smallest.splice(place < 0 ? smallest.length : place, 0, found);
  if (isFull) smallest.pop();
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
}

/** Parts of a definition. `answered`: requests of the log that the files answer; `kept`: those in the mix. */
export interface Mix {
  requests: MixRequest[];
  files: { folder: string; count: number; size_bytes: number }[];
  server: string;
  kept: number;
  answered: number;
}

const OTHERS = [
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
  return {
    requests: entries.map(requestOf),
    files: groups.map(({ folder, group }) => ({ folder, count: 1, size_bytes: fileSize(group) })),
    server: [...OTHERS, ...locations].join('\n'),
    kept: weightOf(entries),
    answered: weightOf(answered),
  };
}

function requestOf(entry: Entry): MixRequest {
  const { weight, path, method, smallest } = entry;
  const full = smallest.length >= MOST_HASHES;
  const estimate = Math.floor(((MOST_HASHES - 1) * HASHES) / ((smallest.at(-1) ?? 0) + 1));
  return {
    weight,
    path,
    ...(method === 'GET' ? {} : { method }),
    ...(path.includes(NUMBER)
      ? { count: Math.max(1, Math.min(full ? estimate : smallest.length, 1e10)) }
      : {}),
  };
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
