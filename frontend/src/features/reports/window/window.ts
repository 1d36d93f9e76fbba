import { t } from '@lingui/core/macro';
import type { ChosenWindow } from '@/api/generated';

/** The shortest window that the server accepts, in seconds. */
export const SHORTEST_S = 1;

/** The bounds of a window, in seconds since the start of the planned one. */
export interface Bounds {
  earliest: number;
  latest: number;
}

export const formatSeconds = (seconds: number) => `${String(seconds).replace('-', '−')} s`;

export function formatWindow({ start_s, end_s }: ChosenWindow): string {
  const [low, high] = [formatSeconds(start_s), formatSeconds(end_s)];
  return t`${low} to ${high}`;
}

export const isSame = (a: ChosenWindow, b: ChosenWindow) => a.start_s === b.start_s && a.end_s === b.end_s;

const tenths = (seconds: number) => Math.round(seconds * 10) / 10;

/** The window between two places of a drag, in tenths of a second and at least as long as the shortest. */
export function dragged(from: number, to: number, { earliest, latest }: Bounds): ChosenWindow {
  const inside = (seconds: number) => Math.min(latest, Math.max(earliest, tenths(seconds)));
  const start_s = Math.min(inside(Math.min(from, to)), tenths(latest - SHORTEST_S));
  return { start_s, end_s: Math.max(inside(Math.max(from, to)), tenths(start_s + SHORTEST_S)) };
}

/** Why these two numbers are no window, or `null`. */
export function problemOf(
  start_s: number | string,
  end_s: number | string,
  { earliest, latest }: Bounds,
): string | null {
  if (typeof start_s !== 'number' || typeof end_s !== 'number') return t`Enter both ends of the window.`;
  if (start_s < earliest || end_s > latest) {
    const [low, high] = [formatSeconds(earliest), formatSeconds(latest)];
    return t`The load lasted from ${low} to ${high}.`;
  }
  return end_s - start_s < SHORTEST_S ? t`A window lasts at least ${SHORTEST_S} s.` : null;
}
