/**
 * When the requests of a log came: the gaps between them, as a replay has them. `ngxlab mix` makes the same of the same
 * log (`cli/ngxlab_cli/mix/arrivals.py`); the server reads them (`backend/contracts/ngxlab_contracts/gaps.py`).
 */
import { type Line, secondsOf } from './accessLog';
import { HASHES, hashOf } from './hashes';

const TICKS_PER_S = 10_000;
export const MOST_ARRIVALS = 100_000;
const LONGEST_S = 86_400;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export interface Arrivals {
  /** Seconds after the first line's time. */
  instants: number[];
  first: number | null;
  /** Later lines, whose instants are not kept. */
  beyond: number;
}

export const noArrivals = (): Arrivals => ({ instants: [], first: null, beyond: 0 });

/**
 * nginx logs a request at its end and cuts the time off to whole seconds, or milliseconds: a request came
 * `$request_time` before, where the format has it, and at an instant within that second which is drawn evenly, as those
 * of people who know nothing of each other are.
 */
export function addArrival(arrivals: Arrivals, { time, took }: Line): void {
  const { instants } = arrivals;
  if (instants.length === MOST_ARRIVALS) {
    arrivals.beyond += 1;
    return;
  }
  const seconds = secondsOf(time);
  if (seconds === null) return;
  arrivals.first ??= seconds;
  const place = hashOf(String(instants.length)) / HASHES;
  instants.push(seconds - arrivals.first + place * (time.includes('.') ? 0.001 : 1) - (took ?? 0));
}

/** The gaps, the last one to the first of the next round; `null` where all came at once, or took more than a day. */
export function gapsOf({ instants }: Arrivals): string | null {
  const sorted = Float64Array.from(instants).sort();
  const begin = sorted[0] ?? 0;
  const places = Array.from(sorted, (instant) => Math.floor((instant - begin) * TICKS_PER_S + 0.5));
  const last = places.at(-1) ?? 0;
  if (last === 0) return null;
  const gaps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
  gaps.push(Math.max(1, Math.floor(last / gaps.length)));
  return last + (gaps.at(-1) ?? 0) <= LONGEST_S * TICKS_PER_S ? gaps.map(numberOf).join('') : null;
}

/** Base 64, five bits a letter from the lowest on, 32 where another letter follows. */
function numberOf(ticks: number): string {
  let letters = '';
  let rest = ticks;
  for (; rest > 31; rest = Math.floor(rest / 32)) letters += LETTERS.charAt((rest % 32) + 32);
  return letters + LETTERS.charAt(rest);
}

/** When requests are due, in seconds at the log's own speed; the last one is the first of the next round. */
export function instantsOf(gaps: string): number[] {
  const instants = [0];
  let [at, ticks, weight] = [0, 0, 1];
  for (const letter of gaps) {
    const digit = LETTERS.indexOf(letter);
    ticks += (digit % 32) * weight;
    weight *= 32;
    if (digit >= 32) continue;
    at += ticks;
    instants.push(at / TICKS_PER_S);
    [ticks, weight] = [0, 1];
  }
  return instants;
}
