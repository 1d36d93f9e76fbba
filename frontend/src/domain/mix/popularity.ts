/**
 * How unequally the numbers of a path are asked for: Zipf's law, by maximum likelihood. `ngxlab mix` does the same
 * (`cli/ngxlab_cli/mix/popularity.py`, which says how); the cases of `cli/tests/mixes.json` hold for both.
 */

const MOST_NUMBERS = 100_000_000;
const STEEPEST = 3;
const STEPS = 14;
const HALVINGS = 16;
/** Standard errors. */
const MOST_OFF = 3;
const STEPS_OFF = 6;
/** Of the exponent, for the curvature at the maximum. */
const WIDTH = 0.05;
/** Chi-squared with one degree of freedom, 99.9 %. */
const UNLIKELY = 10.83;
const LEAST = 0.05;
const COARSEST = 0.05;
const FINENESS = 0.5;
const FAR = 8;

/** `count`: numbers. `error`: of the exponent, one standard error. */
export interface Popularity {
  count: number;
  exponent: number;
  error: number;
}

interface Asked {
  /** How many of the sample came so often, by that number. */
  counts: Map<number, number>;
  requests: number;
  /** How many different ones came, within `error`, one standard error. */
  distinct: number;
  error: number;
}

interface Sample {
  /** How often each came. */
  came: readonly number[];
  requests: number;
  distinct: number;
  /** There were others: `distinct` is estimated. */
  isCut: boolean;
}

/** `null`: they are as if all were equally popular. */
export function popularityOf(sample: Sample): Popularity | null {
  const { came, requests, isCut } = sample;
  const distinct = Math.min(sample.distinct, requests);
  const counts = new Map<number, number>();
  for (const count of came) counts.set(count, (counts.get(count) ?? 0) + 1);
  if (distinct < 3 || Math.max(...counts.keys()) === 1) return null;
  const error = isCut ? distinct / Math.sqrt(came.length - 2) : 0;
  const asked = { counts, requests, distinct, error };
  const valueAt = (exponent: number) => likelihoodOf(asked, exponent).value;
  const exponent = highestOf(valueAt, 0, STEEPEST, STEPS);
  const { value: best, count } = likelihoodOf(asked, exponent);
  if (exponent < LEAST || 2 * (best - valueAt(0)) < UNLIKELY) return null;
  const curvature = (2 * best - valueAt(exponent - WIDTH) - valueAt(exponent + WIDTH)) / WIDTH ** 2;
  return curvature > 0 ? { count, exponent, error: 1 / Math.sqrt(curvature) } : null;
}

/** Where a function with one maximum is highest, by the golden section. */
function highestOf(valueAt: (at: number) => number, from: number, to: number, steps: number): number {
  const share = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [left, right] = [high - share * (high - low), low + share * (high - low)];
  let [ofLeft, ofRight] = [valueAt(left), valueAt(right)];
  for (let step = 0; step < steps; step += 1) {
    if (ofLeft > ofRight) {
      [high, right, ofRight] = [right, left, ofLeft];
      left = high - share * (high - low);
      ofLeft = valueAt(left);
    } else {
      [low, left, ofLeft] = [left, right, ofRight];
      right = low + share * (high - low);
      ofRight = valueAt(right);
    }
  }
  return (low + high) / 2;
}

/** Ranks that come about equally often. */
interface Group {
  rate: number;
  size: number;
}

/** The most frequent first; rates in a group are alike within half of what chance makes of them, and within 5 %. */
function ratesOf(exponent: number, count: number, requests: number): Group[] {
  const whole = harmonicOf(exponent, count);
  const groups: Group[] = [];
  for (let first = 1; first <= count; ) {
    const alike = Math.min(COARSEST, FINENESS / Math.sqrt((requests * first ** -exponent) / whole));
    const size = Math.max(1, Math.min(Math.floor(first * alike), count - first + 1));
    groups.push({ rate: (requests * (first + (size - 1) / 2) ** -exponent) / whole, size });
    first += size;
  }
  return groups;
}

/** The sum of rank to the power of -exponent, in groups of 5 %. */
function harmonicOf(exponent: number, count: number): number {
  let found = 0;
  for (let first = 1; first <= count; ) {
    const size = Math.max(1, Math.min(Math.floor(first * COARSEST), count - first + 1));
    found += size * (first + (size - 1) / 2) ** -exponent;
    first += size;
  }
  return found;
}

/** How many different numbers. */
const seenOf = (groups: readonly Group[]) =>
  groups.reduce((sum, { rate, size }) => sum + size * -Math.expm1(-rate), 0);

/** Of how many numbers so many different ones are seen. */
function countOf(exponent: number, requests: number, distinct: number): number {
  let [low, high] = [Math.log(Math.max(1, distinct)), Math.log(MOST_NUMBERS)];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (seenOf(ratesOf(exponent, Math.floor(Math.exp(middle)), requests)) < distinct) low = middle;
    else high = middle;
  }
  return Math.max(1, Math.floor(Math.exp(high)));
}

/** With the likeliest count of numbers, as far as it is not known how many different ones were seen. */
function likelihoodOf(asked: Asked, exponent: number) {
  const valueAt = (off: number) => jointOf(asked, exponent, off).value;
  return jointOf(asked, exponent, asked.error ? highestOf(valueAt, -MOST_OFF, MOST_OFF, STEPS_OFF) : 0);
}

/** Where the different ones were `off` standard errors more than estimated. */
function jointOf({ counts, requests, distinct: estimated, error }: Asked, exponent: number, off: number) {
  const distinct = estimated + off * error;
  const count = countOf(exponent, requests, distinct);
  const groups = ratesOf(exponent, count, requests);
  const seen = seenOf(groups);
  let value = -(off ** 2) / 2 - (seen - distinct) ** 2 / (2 * estimated);
  for (const [often, times] of counts) value += times * (soOften(often, groups) - Math.log(seen));
  return { value, count };
}

/** The logarithm of how many numbers come so often, by Poisson's law for each: those of a rate near to it, or the nearest. */
function soOften(count: number, groups: readonly Group[]): number {
  const far = FAR * Math.sqrt(count);
  const known = logFactorial(count);
  const nearest = placeOf(groups, count);
  const first = Math.min(placeOf(groups, count + far), Math.max(0, nearest - 1));
  const near = groups.slice(first, Math.max(placeOf(groups, count - far), nearest + 1));
  const logarithms = near.map(({ rate, size }) => Math.log(size) + count * Math.log(rate) - rate - known);
  const most = Math.max(...logarithms);
  return most + Math.log(logarithms.reduce((sum, one) => sum + Math.exp(one - most), 0));
}

/** How many groups have a higher rate. */
function placeOf(groups: readonly Group[], rate: number): number {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((groups[middle]?.rate ?? 0) > rate) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By Stirling's series from ten on. */
function logFactorial(count: number): number {
  if (count < 10) {
    let product = 1;
    for (let factor = 2; factor <= count; factor += 1) product *= factor;
    return Math.log(product);
  }
  const series = 1 / (12 * count) - 1 / (360 * count ** 3);
  return (count + 0.5) * Math.log(count) - count + 0.5 * Math.log(2 * Math.PI) + series;
}
