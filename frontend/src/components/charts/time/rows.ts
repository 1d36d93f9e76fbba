import { useMemo } from 'react';
import { alignLines, type Line, MAX_ROWS, type Row, rowsWithin, stepOf } from './align';

/** The rows of lines within a range of time. */
export function useRowsOf(lines: readonly Line[], domain: readonly [number, number]): Row[] {
  const all = useMemo(() => alignLines(lines), [lines]);
  return useMemo(() => rowsWithin(all, domain), [all, domain]);
}

/** To a tenth of a second: the distance of readings is never quite that of the trial before, nor of a second ago. */
const roughly = (seconds: number) => Math.round(seconds * 10) / 10 || seconds;

/** Where the crosshair can stop: all along the axis, so that the places stay the same while readings come. */
export function useStops(rows: readonly Row[], [start, end]: readonly [number, number]): { t: number }[] {
  const step = Math.max(roughly(stepOf(rows)), (end - start) / MAX_ROWS);
  return useMemo(() => {
    const [first, last] = [Math.ceil(start / step), Math.floor(end / step)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
      t: Number(((first + index) * step).toFixed(3)),
    }));
  }, [start, end, step]);
}
