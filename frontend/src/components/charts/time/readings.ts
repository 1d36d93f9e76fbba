import { createContext, use } from 'react';
import type { Look, Row } from './align';

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
