const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The next round number that is not less: the end of an axis that several charts share. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return Number(((STEPS.find((step) => step * power >= value) ?? 10) * power).toPrecision(2));
}

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
  return multiples(step, 0, Math.ceil(top / step - 1e-9));
}

/**
 * Drawn where it stands among the parts of its chart. Recharts would put each kind of part into a portal of its own
 * (and does so with the words of ticks), and React listens at each portal for every event there is: 140 listeners, which
 * a page of charts has by the thousand.
 */
export const IN_ORDER = { zIndex: 0 } as const;

export const AXIS_TEXT = { fontSize: 11, fill: 'var(--chart-axis)' } as const;
export const X_AXIS = { tick: AXIS_TEXT, stroke: 'var(--chart-grid)', tickLine: false, ...IN_ORDER } as const;
export const Y_AXIS = { tick: AXIS_TEXT, stroke: 'none', width: 64, ...IN_ORDER } as const;

/** From the edges of a chart over time to its plot, in pixels. */
export const PLOT_LEFT = Y_AXIS.width;
export const PLOT_RIGHT = 14;

const ROUND = [1, 2, 5, 10];

/** The least of 1, 2 and 5 times a power of ten, of which at most so many make `span`. */
export function roundStep(span: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(span / most));
  return (ROUND.find((step) => step * power >= span / most) ?? 10) * power;
}

/** The multiples of a step from the `first`th to the `last`, without the dust of floating point. */
export function multiples(step: number, first: number, last: number): number[] {
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

const MOST_FINE = 6;
/** 1, 2 and 5 times the powers of ten around both ends, or those powers alone where they are many. */
export function powerTicks(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = multiples(1, first, last);
  const fine = powers.flatMap((power) => [1, 2, 5].map((one) => Number((one * 10 ** power).toPrecision(3))));
  const from = fine.findLastIndex((one) => one <= low);
  const to = fine.findIndex((one) => one >= high);
  const ticks = fine.slice(Math.max(0, from), to + 1);
  return ticks.length <= MOST_FINE ? ticks : powers.map((power) => 10 ** power);
}

export interface Scales {
  /** Rates and latencies by powers of ten; a share of errors, which may be zero, is not. */
  isLogarithmic: boolean;
  unit: string;
}

/** Whether the axis of values goes by powers of ten. */
export const isByPowers = ({ isLogarithmic, unit }: Scales) => isLogarithmic && unit !== '%';

const MOST_RATES = 6;

/** An axis that holds these rates of requests. */
export function ticksOfRates(rates: readonly number[], isLogarithmic: boolean): number[] {
  const positive = rates.filter((rate) => rate > 0);
  const [low, high] = [Math.min(...positive, Number.POSITIVE_INFINITY), Math.max(...positive, 1)];
  if (isLogarithmic) return powerTicks(Math.min(low, high), high);
  const step = roundStep(high, MOST_RATES);
  return multiples(step, 0, Math.ceil(high / step - 1e-9));
}
