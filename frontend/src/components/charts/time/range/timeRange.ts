import { t } from '@lingui/core/macro';
import { createContext, useContext } from 'react';
import { formatOffset } from '@/lib/format';

/** Seconds on the axis of charts over time. */
export type TimeRange = readonly [from: number, to: number];

/** Less than this shows nothing. */
export const SHORTEST_S = 0.5;

const tenths = (seconds: number) => Math.round(seconds * 10) / 10;

/** The range between two instants within `whole`, in tenths of a second; `null` for all of it. */
export function rangeBetween(one: number, other: number, [start, end]: TimeRange): TimeRange | null {
  const inside = (seconds: number) => Math.min(end, Math.max(start, tenths(seconds)));
  const from = Math.min(inside(Math.min(one, other)), end - SHORTEST_S);
  const to = Math.max(inside(Math.max(one, other)), tenths(from + SHORTEST_S));
  return from <= start && to >= end ? null : [from, to];
}

/** As it stands in an address: `-2..7.5`. */
export const rangeText = ([from, to]: TimeRange) => `${from}..${to}`;

const WRITTEN = /^(-?\d{1,7}(?:\.\d{1,3})?)\.\.(-?\d{1,7}(?:\.\d{1,3})?)$/;

/** What an address says, as far as it lies within `whole`; `null` where it says nothing of use. */
export function parseRange(text: string, whole: TimeRange): TimeRange | null {
  const found = WRITTEN.exec(text);
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from < to && from < whole[1] && to > whole[0] ? rangeBetween(from, to, whole) : null;
}

export function spanWords([from, to]: TimeRange): string {
  const [low, high] = [formatOffset(from), formatOffset(to)];
  return t`${low} to ${high}`;
}

export interface RangeChoice {
  whole: TimeRange;
  /** `null` for the whole. */
  range: TimeRange | null;
  choose: (range: TimeRange | null) => void;
}

/** Pages without it show the whole, and nothing is chosen. */
export const RangeContext = createContext<RangeChoice | null>(null);
export const useTimeRange = (): RangeChoice | null => useContext(RangeContext);
