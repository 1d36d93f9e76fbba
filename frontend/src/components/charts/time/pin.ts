import { createContext, useContext, useMemo } from 'react';

export type OnMoment = (t: number) => void;

/** The moment at which charts go on saying what they read, wherever the reader looks. */
export interface PinChoice {
  /** Seconds on the axis of charts over time; `null` for none. */
  pinned: number | null;
  /** Pins a moment, or lets go of it where it is pinned. `onNote` writes on it. */
  pin: (t: number, onNote: OnMoment | undefined) => void;
}

const WRITTEN = /^-?\d{1,7}(?:\.\d{1,2})?$/;

/** As it stands in an address. */
export const pinText = (t: number) => String(Math.round(t * 100) / 100);
export const parsePin = (text: string) => (WRITTEN.test(text) ? Number(text) : null);

/** Pages without it pin nothing. */
export const PinContext = createContext<PinChoice | null>(null);

/** The pinned moment, where it lies within the range that is shown. */
export function usePinned([start, end]: readonly [number, number]): number | null {
  const t = useContext(PinContext)?.pinned ?? null;
  return t !== null && t >= start && t <= end ? t : null;
}

/** What a click on a moment does: it pins it, from where one may write on it; without pins, it writes at once. */
export function useOnMoment(onNote: OnMoment | undefined): OnMoment | undefined {
  const pin = useContext(PinContext)?.pin;
  return useMemo(() => (pin ? (t: number) => pin(t, onNote) : onNote), [pin, onNote]);
}
