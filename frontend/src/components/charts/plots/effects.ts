/** Where {@link EffectsPlot} draws changes, or values where nothing is compared. Pure. */
import { formatNumber, formatValue } from '@/lib/format';
import { multiples, roundStep, valueTicks } from '../axes';
import { shiftTicks, tickText } from '../shift/shift';

export interface Effect {
  estimate: number;
  low: number | null;
  high: number | null;
}

export type EffectScale = 'ratio' | 'difference' | 'value';

export interface EffectAxis {
  ticks: readonly { at: number; text: string }[];
  /** From 0 to 100, and beyond where an interval leaves the axis. */
  place: (value: number) => number;
}

const STEPS = 4;
const DUST = 1e-9;

function ofRatios(effects: readonly Effect[], margin: number): EffectAxis {
  const band = { estimate: 1, low: 1 / (1 + margin), high: 1 + margin };
  const points = [...effects, band].map(({ estimate, ...ends }) => ({
    ...ends,
    ratio: estimate,
    fraction: 0,
    text: '',
  }));
  const ticks = shiftTicks([{ label: '', color: '', points }]);
  const [low, high] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? 1)];
  const place = (ratio: number) => (100 * (Math.log(Math.max(ratio, 1e-9)) - low)) / (high - low);
  return { ticks: ticks.map((tick) => ({ at: place(tick), text: tickText(tick, ticks) })), place };
}

function linear(ticks: readonly number[], textOf: (tick: number) => string): EffectAxis {
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const place = (value: number) => (100 * (value - low)) / (high - low);
  return { ticks: ticks.map((tick) => ({ at: place(tick), text: textOf(tick) })), place };
}

/** A unit that is a word, such as "connections", stands in the title: beside each tick it would cover the next one. */
function textOf(tick: number, unit: string): string {
  const text = formatValue(tick, unit);
  return unit.length >= 5 && text.endsWith(unit) ? formatNumber(tick) : text;
}

function ofDifferences(effects: readonly Effect[], margin: number, unit: string): EffectAxis {
  const ends = effects.flatMap(({ estimate, low, high }) => [estimate, low ?? estimate, high ?? estimate]);
  const [low, high] = [Math.min(-margin, 0, ...ends), Math.max(margin, 0, ...ends)];
  const step = roundStep(high - low || 1, STEPS);
  const ticks = multiples(step, Math.floor(low / step + DUST), Math.ceil(high / step - DUST));
  // A difference of shares is in percentage points, which "%" would not say.
  const text = (tick: number) => (unit === '%' ? formatNumber(tick) : textOf(tick, unit));
  return linear(ticks, (tick) => `${tick > 0 ? '+' : ''}${text(tick)}`);
}

/** An axis that has room for all effects, no change, and the margin. `value`: values themselves, from zero. */
export function effectAxis(
  effects: readonly Effect[],
  { scale, margin, unit }: { scale: EffectScale; margin: number; unit: string },
): EffectAxis {
  if (scale === 'ratio') return ofRatios(effects, margin);
  if (scale === 'difference') return ofDifferences(effects, margin, unit);
  const ends = effects.flatMap(({ estimate, high }) => [estimate, high ?? estimate]);
  return linear(valueTicks(Math.max(0, ...ends), unit), (tick) => textOf(tick, unit));
}
