import { createContext, use, useMemo } from 'react';
import { alignLines, type Line, type Look, MAX_ROWS, type Row, rowsWithin, stepOf } from './align';

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

/** What is drawn: the looks of the lines, and a value of each line a row. */
export interface Readings {
  rows: readonly Row[];
  looks: readonly Look[];
}

/**
 * What a chart draws, for those of its parts that draw or say readings. All else of it is given none, so that it is
 * not worked out anew with every reading and with every trial.
 */
export const ReadingsContext = createContext<Readings>({ rows: [], looks: [] });
export const useReadings = () => use(ReadingsContext);

export function useReadingsOf(lines: readonly Line[], domain: readonly [number, number]): Readings {
  const all = useMemo(() => alignLines(lines), [lines]);
  const rows = useMemo(() => rowsWithin(all, domain), [all, domain]);
  // The looks keep one identity until one of them changes: more readings change none.
  const key = JSON.stringify(lines.map(({ points: _, ...look }) => look));
  const looks = useMemo(() => JSON.parse(key) as Look[], [key]);
  return useMemo(() => ({ rows, looks }), [rows, looks]);
}
