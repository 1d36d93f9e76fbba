import { roundStep } from './axes';

const INTERVALS = 5;
const BINARY = 1024;

/** The least that an axis shows of a unit, so that 0.01 % of a core or a tenth of a connection does not fill it. */
const LEAST: Record<string, number> = {
  s: 1e-5,
  ms: 0.01,
  'bit/s': 1000,
  bytes: BINARY,
  'bytes/s': BINARY,
  CV: 0.1,
  '': 0.1,
};
const LEAST_OF_OTHERS = 1;

/** From zero to at least the highest value, in steps of 1, 2 or 5 as they are printed: bytes go by powers of 1024. */
export function valueTicks(highest: number, unit: string): number[] {
  const top = Math.max(highest, LEAST[unit] ?? LEAST_OF_OTHERS);
  const size = unit.startsWith('bytes') ? BINARY ** Math.floor(Math.log2(top) / Math.log2(BINARY)) : 1;
  const step = roundStep(top / size, INTERVALS) * size;
  const count = Math.ceil(top / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
