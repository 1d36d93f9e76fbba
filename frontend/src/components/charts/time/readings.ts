import { createContext, use, useMemo } from 'react';
import type { Line, Look, Row } from './align';
import { useRowsOf } from './rows';
import { useLooks } from './useLooks';

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

/** The readings of lines within a range of time. */
export function useReadingsOf(lines: readonly Line[], domain: readonly [number, number]): Readings {
  const rows = useRowsOf(lines, domain);
  const looks = useLooks(lines);
  return useMemo(() => ({ rows, looks }), [rows, looks]);
}
