import { useState } from 'react';
import { valueTicks } from '../../valueTicks';
import { highestIn } from '../align';
import type { Readings } from '../readings';

interface Axis {
  unit: string;
  stacked: boolean;
  /** Where the quantity ends by its nature. */
  yMax: number | null;
}

/**
 * Where the axis of values ends: at a round number, so that it stands still while readings come. It does not shrink
 * while the same lines are drawn over the same time: with each trial's first reading it would, and grow again, which
 * moves all that is drawn, and lets nobody compare a trial with the one before.
 */
export function useTop(
  { rows, looks }: Readings,
  { unit, stacked, yMax }: Axis,
  domain: readonly number[],
): number {
  const top = valueTicks(yMax ?? highestIn(rows, stacked), unit).at(-1) ?? 1;
  const of = `${domain} ${looks.map(({ label }) => label)}`;
  const [highest, setHighest] = useState({ top, of });
  const next = highest.of === of ? Math.max(highest.top, top) : top;
  if (highest.of !== of || highest.top !== next) setHighest({ top: next, of });
  return next;
}
